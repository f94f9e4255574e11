// The binary-reflected Gray code: gray(i) = i ^ (i >> 1), a linear map on the bits of i.
//
//   i       0 1 2 3 4 5 6 7
//   gray(i) 0 1 3 2 6 7 5 4          ungray is its inverse: bit b is the sum of bits b and above
#pragma once

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1 {

constexpr Word gray(Word i) {
  return i ^ (i >> 1);
}

constexpr Word ungray(Word g) {
  for (int shift = 1; shift < word_bits; shift *= 2) g ^= g >> shift;
  return g;
}

BitMap gray_map(int width);
BitMap ungray_map(int width);

}  // namespace faro::inline v1
