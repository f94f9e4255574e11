// The largest gap between the residues of a ring that occur as displacements, 0 among them. What is
// beyond the gap on one side is ridden upward and the rest downward, so that gamma is the side less
// the gap: Theorem 6.1, for any set of distances.
//
//   ring of 16, bit reversal:   0 2 5 7 9 11 14,   largest gap 3,   gamma 13
//
// The displacements of a map are sums in which a bit of the map has one or two powers of two. How
// their digits are tied to each other decides what an exact answer takes: a ring that exchanges
// bits with other dimensions, or near ones with each other, is settled digit by digit in no time at
// any side; one whose bits are thrown about inside it has as many kinds of places as half its
// digits have values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::mesh {

// A coordinate before and after a map: which pairs occur.
//
//   ring of 4, reversal:   (0, 0) (1, 2) (2, 1) (3, 3) = (0, 0) ^ span{(1, 2), (2, 1)}
//
// For an affine map they are an affine space, given here by a basis that is reduced digit by digit
// from the top, so that who goes through the digits decides about one or two directions at each.
struct CoordinatePairs {
  int width = 0;
  Word first_before = 0;
  Word first_after = 0;
  struct Direction {
    Word before = 0;
    Word after = 0;
  };
  std::vector<Direction> basis;
};

// 2t + 1 where the highest digit t of a direction is one of `after`, else 2t; -1 for none. No two
// directions of a basis have the same.
int leading(const CoordinatePairs::Direction& direction, int width);

CoordinatePairs pairs_of(const MeshGeometry& geometry, const BitMap& map, int dimension);

// Sides that have a bit for every residue: 8 megabytes.
inline constexpr int residues_log2_max = 26;

// Residues `first` plus any of the terms, modulo 2^width; by a bit for each residue.
std::uint64_t gap_by_residues(int width, Word first, std::span<const Word> terms);

// By recursion on the digits from the top: a block of residues with the same upper digits is known
// by the ways in which its lower digits can go on, and blocks with the same ways are alike. Nothing
// if there are too many kinds of blocks.
std::optional<std::uint64_t> gap_by_digits(const CoordinatePairs& pairs);

// No gap is larger than this. A term a joins a set of sums that spans R without a gap above
// a - R; terms above half the ring count as what is left of it.
std::uint64_t gap_at_most(int width, std::span<const Word> terms);

// There is a gap of this size: between the stretches of the ring that the sums of all but the
// largest terms reach. 0 if stretches cover the ring.
std::uint64_t gap_at_least(int width, Word first, std::span<const Word> terms);

}  // namespace faro::inline v1::mesh
