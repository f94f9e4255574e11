// Cubes of several ports: plans for one port, of a few elements each, side by side.
//
//   cube:5,2-ports, K = 4, one pair of elements after another where there is one port
//       elements 0 1    0 1 2 3 4 0
//       elements 2 3    . 0 1 2 3 4 0        dimensions; a step has two at most
//
// A plan for one port that uses one dimension in a step is a job: its dimensions in their order. In
// a step as many jobs go on as there are ports, on different dimensions, those with most left
// first. Mirrors of the plan have other orders; jobs take turns with them.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry ports_side_by_side;

}  // namespace faro::inline v1
