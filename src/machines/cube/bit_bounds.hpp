// Bounds of maps on a cube that follow from what becomes of single bits: codes converted, bits that
// go in cycles. Each with the weights that prove it.
//
//   field of two bits     K up to two elements, else K/2 + 1: links that half of the processors use
//                         stand still in the first step and in the last
//   three bits and more   (3K + 1)/5: S, the links leaving processors 01* of the field's top three
//                         bits across these, and the links across the middle one leaving 1*;
//                         5·2^(n-2) links. Every element starting in 1* must change the middle bit
//                         and every one starting in 01* the lowest, so each of these 3·2^(n-2)·K
//                         elements uses S at least once. In the last step the links from 01* to 00*
//                         help none of them: 3·2^(n-2)·K <= 5·2^(n-2)·T - 2^(n-2).
//                         With 4, 6 or 8 elements weights that change from step to step prove one
//                         step more.
//   one port              the best flow of up to six bits
//   cycle of bits         the best flow of up to eight bits
//
// Idle dimensions and other fields never help: identify the processors that agree on the field, and
// average.
#pragma once

#include <vector>

#include "machines/bounds.hpp"

namespace faro::inline v1 {

// A rate of a bound, exactly.
struct Fraction {
  std::uint64_t above = 0;
  std::uint64_t below = 1;
};

// ceil(f * k).
inline Count ceil_of(Fraction f, std::uint64_t k) {
  return ceil_div(Count{f.above} * k, f.below);
}

// Requires a map that has the cube's bits; K elements, at least one.
void add_conversion_bounds(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements,
                           std::vector<Bound>& out);
void add_bit_permutation_bounds(const MapGoal& goal, std::uint64_t elements,
                                std::vector<Bound>& out);

}  // namespace faro::inline v1
