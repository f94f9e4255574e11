// Cubes whose processors use several of their links in a step, but not all: `cube:6,2-ports`.
//
//   step of a plan for all ports    dimensions 0 1 2 3 4 5
//   with 2 ports                    0 1, 2 3, 4 5: three steps; what lands where somebody has yet
//                                   to read waits in a slot beside
//
// The cheapest plan for all ports, or the cheapest for one, whichever takes fewer steps: the
// crossings of a step go in turn, so many dimensions at a time as there are ports, and the next
// step's begin in the same turn where they read nothing that it writes. A plan whose steps use all
// links, and ports that divide the dimensions, stay optimal: all to all takes nK/2k steps.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry ports_in_turn;

}  // namespace faro::inline v1
