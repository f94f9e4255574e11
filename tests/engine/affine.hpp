// Maps and comparisons for the engine's tests.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "faro/algebra/bit_map.hpp"
#include "maps.hpp"

namespace faro::testing {

inline BitMap random_bpc(int width, Random& random) {
  const std::vector<int> place = random_places(width, random);
  return BitMap::from_places(place, random.next() & low_mask(width));
}

inline BitMap bit_reversal(int width) {
  std::vector<int> place(static_cast<std::size_t>(width));
  std::iota(place.rbegin(), place.rend(), 0);
  return BitMap::from_places(place);
}

inline BitMap gray(int width) {
  BitMatrix matrix(width, width);
  for (int i = 0; i < width; ++i) matrix.set_column(i, bit(i) | (bit(i) >> 1U));
  return BitMap::from_matrix(matrix);
}

inline BitMap vector_reversal(int width) {
  return BitMap::from_matrix(BitMatrix::identity(width), low_mask(width));
}

// Bytes that tell their places apart.
inline std::vector<std::byte> numbered_bytes(std::size_t count, std::uint64_t seed = 1) {
  std::vector<std::byte> bytes(count);
  Random random(seed);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(random.next());
  return bytes;
}

}  // namespace faro::testing
