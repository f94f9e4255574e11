// Routing on a mesh or torus whose links all work at once, each one element a step, store and
// forward: the machine that most people mean by a mesh.
//
//   8x8 mesh, transpose, K = 4 elements a processor:   dimension order 29 steps, mixed orders 15,
//                                                      and the bound is 14
//
// Any map, memory bits included, or destinations. Three planners:
//   dimension order   one coordinate after the other, farthest first: what routers do
//   mixed orders      the elements of a processor take different orders of the coordinates
//   congestion        ways spread over the links until none is loaded more than it must be, then
//                     ways and times negotiated together for fewer and fewer steps
// An element waits in any free slot and is put in its own at the end, where local moves are free.
// Schedules are listed move by move: at most 2^20 elements, 2^14 for the last planner, that cross
// 2^25 links at most.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry links_dimension_order;
extern const PlannerEntry links_mixed_orders;
extern const PlannerEntry links_congestion;

}  // namespace faro::inline v1
