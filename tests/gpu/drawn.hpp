// Maps of bits as tests of kernels draw them: general ones, and those of every special kind.
#pragma once

#include <string>

#include "faro/words/say.hpp"
#include "maps.hpp"

namespace faro {

inline BitMap shifted_reversal(int width, Word c) {
  std::vector<int> place;
  for (int b = 0; b < width; ++b) place.push_back(width - 1 - b);
  const BitMap reversal = BitMap::from_places(place);
  return BitMap::from_places(place, c ^ reversal(c));
}

// Its own inverse, with a complement that it keeps: P^-1 J P.
inline BitMap random_involution(int width, Random& random) {
  const BitMap p = testing::random_affine(width, random);
  BitMatrix j = BitMatrix::identity(width);
  const auto pairs = static_cast<int>(random.below(static_cast<Word>(width / 2 + 1)));
  for (int i = 0; i < pairs; ++i) j.set_column(i, bit(i) ^ bit(width - 1 - i));
  const Word c = random.below(2) == 0 ? 0 : bit(width - 1) ^ bit(width / 2);
  const BitMap middle = BitMap::from_matrix(j, j.apply(c) == c ? c : 0);
  return then(then(p, middle), p.inverse());
}

struct Drawn {
  BitMap map;
  bool in_place;
};

inline Drawn random_map(int width, Random& random) {
  const Word c = random.below(2) == 0 ? 0 : random.next() & low_mask(width);
  switch (random.below(8)) {
    case 0:
      return {testing::random_affine(width, random), false};
    case 1:
      return {BitMap::from_places(testing::random_places(width, random), c), false};
    case 2:
      return {shifted_reversal(width, c), random.below(2) == 0};
    case 3:
      return {say("i:" + std::to_string(width) + " -> gray(i)").map.as_bits(), false};
    case 4:
      return {then(BitMap::identity(width), BitMap::from_matrix(BitMatrix::identity(width), c)),
              random.below(2) == 0};
    case 5:
      return {testing::rotation(width, 1 + static_cast<int>(random.next() % 4), c), false};
    default:
      return {random_involution(width, random), true};
  }
}

}  // namespace faro
