// Rearranges an array in memory: to[map(i)] = from[i].
//
//   std::vector<double> from(1024), to(1024);
//   permute<double>(map, from, to);                  out of place
//   permute_in_place<double>(map, from);             in place
//
// Any invertible affine map of the index bits, at the speed that memory allows: every cache line
// is read once and written once. To permute many arrays alike make a PermutePlan once
// (faro/engine/permute_plan.hpp); planning costs some microseconds.
//
// The spans must have exactly 2^map.width() elements and must not overlap, else Error(usage).
// Buffers need no alignment.
#pragma once

#include <span>
#include <type_traits>

#include "faro/algebra/bit_map.hpp"
#include "faro/engine/options.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro {

// outer x 2^width x inner elements; see PermuteShape. The spans' sizes must be that product.
void permute_bytes(const BitMap& map, const PermuteShape& shape, std::span<const std::byte> from,
                   std::span<std::byte> to, const PermuteOptions& options = {});
void permute_bytes_in_place(const BitMap& map, const PermuteShape& shape, std::span<std::byte> data,
                            const PermuteOptions& options = {});

template <class T>
requires std::is_trivially_copyable_v<T>
void permute(const BitMap& map, std::span<const T> from, std::span<T> to,
             const PermuteOptions& options = {}) {
  permute_bytes(map, {.element_bytes = sizeof(T)}, std::as_bytes(from), std::as_writable_bytes(to),
                options);
}

template <class T>
requires std::is_trivially_copyable_v<T>
void permute_in_place(const BitMap& map, std::span<T> data, const PermuteOptions& options = {}) {
  permute_bytes_in_place(map, {.element_bytes = sizeof(T)}, std::as_writable_bytes(data), options);
}

}  // namespace faro
