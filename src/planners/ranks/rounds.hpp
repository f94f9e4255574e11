// Any affine map, or list of destinations, on a switch with one port a processor.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry ranks_rounds;

}  // namespace faro::inline v1
