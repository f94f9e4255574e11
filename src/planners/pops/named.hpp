// The permutations that the paper routes by name, each by the better of its two constructions.
//
//   transpose        of an N x N matrix in row-major order, d | N or g | N: straight home,
//                    ceil(d/g) slots; N² - N for g = 1. Optimal
//   perfect shuffle, unshuffle, bit shuffle
//                    straight home where that takes no more slots, else over the relay group i
//                    xor j of section 4: 2 slots for d <= g, 2d/g for d > g. Optimal for d <= g
//
//   POPS(4, 4): transpose 1 slot, perfect shuffle 2.   POPS(8, 2): perfect shuffle 4, straight home
//
// The paper adds i + j modulo g; xor separates the same data and keeps the plan a few rules, which
// are proved at any size. Sections 4.1 and 4.2 give shuffles for d = g; this is section 4.3's form.
// For d > g pops-fewest-slots may do with fewer.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry pops_transpose;
extern const PlannerEntry pops_perfect_shuffle;
extern const PlannerEntry pops_unshuffle;
extern const PlannerEntry pops_bit_shuffle;

}  // namespace faro::inline v1
