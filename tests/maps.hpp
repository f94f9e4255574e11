// Maps and orders that tests of several folders draw or walk through.
#pragma once

#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::testing {

// Random columns are independent with probability above a quarter, else they are drawn again.
inline BitMap random_affine(int width, Random& random) {
  for (;;) {
    BitMatrix matrix(width, width);
    for (int i = 0; i < width; ++i) matrix.set_column(i, random.next() & low_mask(width));
    if (matrix.rank() == width) {
      return BitMap::from_matrix(matrix, random.next() & low_mask(width));
    }
  }
}

// Places for the bits of an index, each once.
inline std::vector<int> random_places(int width, Random& random) {
  std::vector<int> place(static_cast<std::size_t>(width));
  std::iota(place.begin(), place.end(), 0);
  random.mix(place);
  return place;
}

// Destinations of `count` processors, each once.
inline std::vector<Word> random_permutation(std::uint64_t count, Random& random) {
  std::vector<Word> to(count);
  std::iota(to.begin(), to.end(), Word{0});
  random.mix(to);
  return to;
}

// Bit b to b + by, cyclically.
inline BitMap rotation(int width, int by, Word complement = 0) {
  std::vector<int> place(static_cast<std::size_t>(width));
  for (int b = 0; b < width; ++b) place[static_cast<std::size_t>(b)] = (b + by) % width;
  return BitMap::from_places(place, complement);
}

// Calls visit for every invertible matrix: 168 of 3 bits, 20 160 of 4.
template <class Visit>
void for_every_matrix(int width, Visit&& visit) {
  for (Word columns = 0; columns < bit(width * width); ++columns) {
    BitMatrix matrix(width, width);
    for (int i = 0; i < width; ++i)
      matrix.set_column(i, (columns >> (i * width)) & low_mask(width));
    if (matrix.rank() == width) visit(matrix);
  }
}

}  // namespace faro::testing
