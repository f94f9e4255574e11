// Any list of destinations on a fat tree, element by element, and maps of few elements.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry tree_halves;
extern const PlannerEntry tree_seats;

}  // namespace faro::inline v1
