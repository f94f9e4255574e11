// Any bytes as a tensor map, two arrays of any strides and options: the engine against the obvious
// loop, out of place and where it agrees in place; and the same map as a plan of a file in tiles of
// any size.
//
//   byte 0  kernels    1  stores, threads    2  element bytes (1..40)    3  axes (1..5)
//   then for each axis: length (1..40), bits if a power of two and the high bit is set, reversed;
//   its place in the result; padding of both strides, backwards; then columns of the bits
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "engine/reference.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/permute_file.hpp"
#include "faro/engine/permute_plan.hpp"
#include "fuzz.hpp"

namespace {

using fuzz::Bytes;
using fuzz::check;

constexpr faro::Word elements_max = 60000;

struct Axes {
  std::vector<faro::Word> from;
  std::vector<faro::Word> to;
  faro::Map map;
};

Axes axes_of(Bytes& bytes) {
  Axes axes;
  faro::Digits digits;
  std::vector<std::vector<faro::Digit>> pieces;
  std::vector<std::uint64_t> keys;
  faro::Word product = 1;
  int lengths = 0;
  int width = 0;
  for (std::uint64_t k = 0, count = 1 + bytes.next() % 5; k < count; ++k) {
    const std::uint64_t kind = bytes.next();
    const faro::Word length = std::min<faro::Word>(1 + kind % 40, elements_max / product);
    product *= length;
    keys.push_back(bytes.next());
    axes.from.push_back(length);
    auto& piece = pieces.emplace_back();
    if (length > 1 && faro::is_power_of_two(length) && kind >= 128) {
      piece.resize(static_cast<std::size_t>(faro::log2_exact(length)));
      digits.from.insert(digits.from.end(), piece.begin(), piece.end());
      width += faro::log2_exact(length);
    } else {
      digits.from.push_back({length, lengths, false});
      piece.push_back({length, lengths++, (keys.back() & 1U) != 0});
    }
  }
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  for (const std::size_t k : order) {
    axes.to.push_back(axes.from[k]);
    digits.to.insert(digits.to.end(), pieces[k].begin(), pieces[k].end());
  }
  digits.bits = fuzz::bits_of(bytes, width);
  axes.map = faro::Map::from_digits(digits);
  return axes;
}

// Padded, some axes backwards; `bytes_needed` is what the array then reaches to.
faro::ArrayPlaces places_of(const std::vector<faro::Word>& shape, std::uint64_t element,
                            Bytes& bytes, std::size_t& bytes_needed) {
  faro::ArrayPlaces places;
  places.shape = shape;
  places.strides.resize(shape.size());
  places.offset = bytes.next() % 70;
  std::uint64_t stride = element;
  std::uint64_t reach = element;
  for (std::size_t k = shape.size(); k-- > 0;) {
    const std::uint64_t how = bytes.next();
    const bool backwards = (how & 1U) != 0;
    const std::uint64_t far = stride * (shape[k] - 1);
    (backwards ? places.offset : reach) += far;
    places.strides[k] =
        backwards ? -static_cast<std::int64_t>(stride) : static_cast<std::int64_t>(stride);
    stride = stride * shape[k] + (how >> 1U) % 8;
  }
  bytes_needed = places.offset + reach;
  return places;
}

void through_a_file(const faro::Map& map, std::uint64_t element, std::uint64_t tile_bytes) {
  const auto bytes = static_cast<std::size_t>(map.elements() * element);
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 0x9e3779b1U >> 8U);
  faro::MemoryFile from("from", data);
  faro::MemoryFile to("to", std::vector<std::byte>(bytes));
  const auto plan = faro::FilePermutePlan::out_of_place(
      map, {.element_bytes = element},
      {.memory_bytes = faro::bit(30), .tile_bytes_max = tile_bytes});
  if (plan.facts().temporary_bytes != 0) return;
  plan.execute({.from = from, .to = to, .io_threads = 0});
  check(!faro::reference_compare(map, {element, {}, {}}, data.data(), to.bytes().data()).found);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  faro::PermuteOptions options;
  options.simd = fuzz::kernels_of(bytes.next());
  const std::uint64_t how = bytes.next();
  options.stores = (how & 1U) != 0 ? faro::Stores::streaming : faro::Stores::ordinary;
  options.threads = 1 + static_cast<int>((how >> 1U) % 3);
  options.slow_in_place = (how & 128U) != 0;
  const std::uint64_t element = 1 + bytes.next() % 40;
  try {
    const Axes axes = axes_of(bytes);
    std::size_t from_bytes = 0;
    std::size_t to_bytes = 0;
    faro::TensorShape shape{element, {}, {}};
    shape.from = places_of(axes.from, element, bytes, from_bytes);
    shape.to = places_of(axes.to, element, bytes, to_bytes);
    std::vector<std::byte> from(from_bytes);
    for (std::size_t i = 0; i < from_bytes; ++i)
      from[i] = static_cast<std::byte>(i * 0x9e3779b97f4a7c15U >> 56U);
    std::vector<std::byte> to(to_bytes, std::byte{0xa5});
    std::vector<std::byte> wanted = to;
    faro::PermutePlan::out_of_place(axes.map, shape, options).execute(from, to);
    faro::reference_permute(axes.map, shape, from.data(), wanted.data());
    check(to == wanted);
    const faro::TensorShape dense{element, {}, {}};
    std::vector<std::byte> array(static_cast<std::size_t>(axes.map.elements() * element));
    through_a_file(axes.map, element, element + array.size() / 64 + bytes.next() * bytes.next());
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<std::byte>(i * 7U + 1U);
    const std::vector<std::byte> before = array;
    faro::PermutePlan::in_place(axes.map, dense, options).execute_in_place(array);
    check(!faro::reference_compare(axes.map, dense, before.data(), array.data()).found);
  } catch (const faro::InternalError&) {
    std::abort();
  } catch (const faro::Error& error) {
    // Kernels that this CPU lacks, and what is slow in place.
    if (error.code() != faro::ErrorCode::impossible) std::abort();
  }
  return 0;
}
