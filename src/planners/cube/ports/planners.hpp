// Cubes whose processors use several of their links in a step, but not all: `cube:6,2-ports`.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry ports_in_turn;       // a plan for all ports or one, its links in turn
extern const PlannerEntry ports_side_by_side;  // plans for one port, of a few elements each

}  // namespace faro::inline v1
