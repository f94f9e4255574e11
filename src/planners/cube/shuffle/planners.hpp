// Permutations of address bits with complements on the cube: the planners.   [Johnsson, Ho 1991:
// Generalized Shuffle Permutations on Boolean Cubes, and our own where it says so]
//
//   a:3 | m:4 -> a[1] a[0] m[3] | m[2:0] a[2]     one chain of three dimensions: shuffle-ring,
//                                                 max(3, 8) + 1 = 9 steps
//
// Costs and bounds stand with the algorithms: ring.hpp, cycles.hpp, mixture.hpp.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry all_to_all;        // every processor bit changes places with a memory bit
extern const PlannerEntry shuffle_ring;      // chains and even 2-cycles
extern const PlannerEntry shuffle_mixture;   // chains and real cycles together
extern const PlannerEntry shuffle_sequence;  // anything, one part after another
extern const PlannerEntry shuffle_one_port;  // anything, one port

}  // namespace faro::inline v1
