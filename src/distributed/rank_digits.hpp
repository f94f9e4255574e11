// A map of axes of any length on 2^p ranks: what is exchanged, and what each rank does by itself.
//
//   (12000, 12000), transposed, 8 ranks of 1500 rows each: r = rank 1500, c = 8 1500
//   before    r' c8 c' -> c8 r' c'        of each rank's elements
//   exchange  rank | c8 -> c8 | rank      bits, in units of 1500 x 1500 elements
//   after     r8 r' c' -> c' r8 r'        of each rank's elements
//
// Lengths stay within ranks: a rank's side is a power of two, so what goes between ranks is bits.
// The bits of the whole map are one affine map of rank bits and of those bits of the local index
// that stand beside the lengths; the lengths, all below them, are the unit. Where the array's
// digits lie so already, `before` is the identity, and where they are to lie so `after`.
//
// Units that are too large for a buffer are cut: the exchange is then done for one slice of all
// units after another, `slices` of them, each a contiguous part of a rank's array.
#pragma once

#include "faro/algebra/map.hpp"

namespace faro::inline v1 {

struct RankDigits {
  BitMap bits;  // of rank bits above local ones, on units
  int rank_bits = 0;
  Word unit = 1;  // elements of a slice's part of a unit, which move as one
  Word slices = 1;
  Map before;  // of a rank's elements
  Map after;

  bool has_before() const { return before != Map::identity(local_elements()); }
  bool has_after() const { return after != Map::identity(local_elements()); }
  Word local_elements() const { return static_cast<Word>(before.elements()); }
  int local_bits() const { return bits.width() - rank_bits; }
  // Whether all elements of a rank go to one rank.
  bool moves_whole_ranks() const;
  // Of rank numbers; requires moves_whole_ranks().
  BitMap of_ranks() const;
};

// Throws Error(impossible) for a number of ranks that is no power of two or does not divide the
// array, and where a cut between ranks goes through a length that is not divisible so.
RankDigits rank_digits(const Map& map, Word ranks);

// A buffer of an exchange holds so many units: two steps of sending and of receiving.
inline constexpr std::uint64_t exchange_units_min = 4;

// With units of at most so many elements. Throws Error(impossible) naming the least units where
// they would take more than 2^12 slices.
RankDigits sliced(const RankDigits& digits, Word unit_max);

}  // namespace faro::inline v1
