// What kind of map this is, and its structure where it has one.
//
//   i:4 -> i[2] ~i[0] ~i[1] ~i[3]      class bpc, cycles (0 2 3)(1)
//
// A bit permutation moves bits and inverts none; BPC (bit permute, complement) may invert some.
// Their structure is a permutation of the bit positions, written as cycles: b0 -> b1 -> ... -> b0,
// each bit going to the position of the next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1 {

enum class MapClass { identity, complement, bit_permutation, bpc, linear, affine };

// "identity", "complement", "bit-permutation", "bpc", "linear", "affine".
const char* name_of(MapClass map_class);

MapClass classify(const BitMap& map);

// One cycle of bit positions, the largest first. inverted[k]: the bit that leaves bits[k] arrives
// complemented at the next position.
struct PositionCycle {
  std::vector<int> bits;
  std::vector<bool> inverted;
};

// place[b] = where bit b goes; nothing unless the matrix is a permutation matrix.
std::optional<std::vector<int>> bit_places(const BitMap& map);

// All cycles, fixed bits included, by descending largest bit; empty unless bit_places() is
// something.
std::vector<PositionCycle> position_cycles(const BitMap& map);

// "(3 0 2~)(1)": ~ after a bit that is inverted on its way to the next.
std::string to_string(const std::vector<PositionCycle>& cycles);

// Exact: 2^width minus the fixed points, which are the solutions of (A + I)·x = c.
Count fixed_points(const BitMap& map);
Count moved_elements(const BitMap& map);

// The binary-reflected Gray code: gray(i) = i ^ (i >> 1), a linear map on the bits of i.
//
//   i       0 1 2 3 4 5 6 7
//   gray(i) 0 1 3 2 6 7 5 4          ungray is its inverse: bit b is the sum of bits b and above

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
