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

#include "machines/mesh/coordinate_pairs.hpp"

namespace faro::inline v1::mesh {

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
