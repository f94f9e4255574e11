// Any permutation on a small cube: every element gets a path, then a list schedule moves them.
//
//   shortest paths   every element crosses the dimensions where it must, ascending
//   balanced         paths are chosen one by one where links are least used, also over one
//                    dimension more than needed there and back, and chosen again for those on the
//                    busiest links. Paths and steps are then negotiated together for one step
//                    less, again and again, while the effort lasts.
//
//   6 dimensions, random, K = 20: 41 steps on shortest paths, 13 balanced, bound 12
//
// Prices of links, whole numbers, stand for the linear program of the best flow; they prove nothing
// about it. Step after step each link takes the waiting element with the most hops left. The result
// is a schedule of explicit moves; costs are counted, there is no closed form.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry shortest_path_lists;
extern const PlannerEntry balanced_lists;
extern const PlannerEntry balanced_maps;

}  // namespace faro::inline v1
