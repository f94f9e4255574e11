// Permutations of address bits with complements on the cube: the planners.   [Johnsson, Ho 1991:
// Generalized Shuffle Permutations on Boolean Cubes, and our own where it says so]
//
//   a:3 | m:4 -> a[1] a[0] m[3] | m[2:0] a[2]     one chain of three dimensions: shuffle-ring,
//                                                 max(3, 8) + 1 = 9 steps
//
// Costs and bounds stand with the algorithms: ring.hpp, cycles.hpp, mixture.hpp.
#pragma once

#include "faro/planners/planner.hpp"

namespace faro {

extern const Planner shuffle_ring;      // chains and even 2-cycles
extern const Planner shuffle_a1;        // one real cycle, pairs of elements
extern const Planner shuffle_a2;        // one real cycle, single elements
extern const Planner shuffle_lanes;     // one short real cycle
extern const Planner shuffle_ahead;     // one real cycle, few elements
extern const Planner shuffle_mixture;   // chains and real cycles together
extern const Planner shuffle_router;    // few elements
extern const Planner shuffle_sequence;  // anything, one part after another
extern const Planner shuffle_one_port;  // anything, one port

// The paper's own algorithms by name: paper.hpp.
extern const Planner shuffle_pipelined;
extern const Planner shuffle_concurrent;
extern const Planner shuffle_by_exchange;
extern const Planner all_to_all;
extern const Planner real_a1;
extern const Planner real_a2;
extern const Planner real_a2_one_port;
extern const Planner extended_cube;  // extended_cube.hpp

}  // namespace faro
