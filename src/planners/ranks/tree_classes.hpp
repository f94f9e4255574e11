// Any affine map on a fat tree, and any number of elements that move alike.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry tree_classes;

}  // namespace faro::inline v1
