// Rearranges an array in memory: to[map(i)] = from[i].
//
//   std::vector<double> from(1024), to(1024);
//   permute(map, from, to);                          out of place
//   permute_in_place("r:5 c:5 -> c r", from);        in place; a map may be words
//
// Vectors, arrays, spans and C arrays of any type that is copied as bytes.
//
// Axes of any lengths (`r=3 c=4 -> c r`) and any invertible affine map of index bits, at the speed
// that memory allows: every cache line is read once and written once. To permute many arrays alike
// make a PermutePlan once (faro/engine/permute_plan.hpp); planning costs some microseconds.
//
// The spans must have exactly map.elements() elements and must not overlap, else Error(usage).
// Buffers need no alignment.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "faro/algebra/map.hpp"
#include "faro/engine/options.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1 {

// outer x 2^width x inner elements; see PermuteShape. The spans' sizes must be that product.
void permute_bytes(const BitMap& map, const PermuteShape& shape, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options = {});
void permute_bytes_in_place(const BitMap& map, const PermuteShape& shape, std::span<std::byte> data,
                            const PermuteOptions& options = {});

// All the elements are moved.
void permute_bytes(const Map& map, std::uint64_t element_bytes, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options = {});
// In place what would move single elements along cycles is Error(impossible).
void permute_bytes_in_place(const Map& map, std::uint64_t element_bytes, std::span<std::byte> data,
                            const PermuteOptions& options = {});

// The map that a text says for so many elements; throws what say does.
Map map_of(std::string_view text, std::size_t elements);

template <class T>
requires std::is_trivially_copyable_v<T>
void permute(const Map& map, std::span<const T> from, std::span<T> to,
             const PermuteOptions& options = {}) {
  permute_bytes(map, sizeof(T), std::as_bytes(from), std::as_writable_bytes(to), options);
}

template <class T>
requires std::is_trivially_copyable_v<T>
void permute_in_place(const Map& map, std::span<T> data, const PermuteOptions& options = {}) {
  permute_bytes_in_place(map, sizeof(T), std::as_writable_bytes(data), options);
}

// What a span can show: the type of its elements.
template <class Elements>
using ElementOf = std::remove_reference_t<decltype(*std::data(std::declval<Elements&>()))>;
template <class Elements>
concept Contiguous = requires(Elements& elements) {
  std::data(elements);
  std::size(elements);
}
&&std::is_trivially_copyable_v<std::remove_cv_t<ElementOf<Elements>>>;

template <Contiguous From, Contiguous To>
requires std::same_as<std::remove_cv_t<ElementOf<const From>>, ElementOf<To>>
void permute(const Map& map, const From& from, To&& to, const PermuteOptions& options = {}) {
  using T = ElementOf<To>;
  permute<T>(map, std::span<const T>(std::data(from), std::size(from)),
             std::span<T>(std::data(to), std::size(to)), options);
}
template <Contiguous From, Contiguous To>
requires std::same_as<std::remove_cv_t<ElementOf<const From>>, ElementOf<To>>
void permute(std::string_view map, const From& from, To&& to, const PermuteOptions& options = {}) {
  permute(map_of(map, std::size(from)), from, to, options);
}

template <Contiguous Data>
void permute_in_place(const Map& map, Data&& data, const PermuteOptions& options = {}) {
  using T = ElementOf<Data>;
  permute_in_place<T>(map, std::span<T>(std::data(data), std::size(data)), options);
}
template <Contiguous Data>
void permute_in_place(std::string_view map, Data&& data, const PermuteOptions& options = {}) {
  permute_in_place(map_of(map, std::size(data)), data, options);
}

}  // namespace faro::inline v1
