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

extern const PlannerEntry shuffle_ring;      // chains and even 2-cycles
extern const PlannerEntry shuffle_a1;        // one real cycle, pairs of elements
extern const PlannerEntry shuffle_a2;        // one real cycle, single elements
extern const PlannerEntry shuffle_lanes;     // one short real cycle
extern const PlannerEntry shuffle_ahead;     // one real cycle, few elements
extern const PlannerEntry shuffle_mixture;   // chains and real cycles together
extern const PlannerEntry shuffle_sequence;  // anything, one part after another
extern const PlannerEntry shuffle_one_port;  // anything, one port

// The paper's own algorithms by name: paper.hpp.
extern const PlannerEntry shuffle_adjacent;
extern const PlannerEntry shuffle_pipelined;
extern const PlannerEntry shuffle_concurrent;
extern const PlannerEntry shuffle_by_exchange;
extern const PlannerEntry shuffle_by_exchange_concurrent;
extern const PlannerEntry all_to_all;
extern const PlannerEntry real_a1;
extern const PlannerEntry real_a2;
extern const PlannerEntry real_a1_one_port;
extern const PlannerEntry real_a2_one_port;
extern const PlannerEntry extended_cube;  // extended_cube.hpp

}  // namespace faro::inline v1
