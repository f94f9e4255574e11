// Code conversion of several fields at once.
//
//   phases     the elements in d parts; in phase p, part j converts field (j+p) mod d by the
//              cheapest algorithm for one field: all fields are busy all the time
#pragma once

#include "planners/cube/codes/code_fields.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry fields_by_phases;

}  // namespace faro::inline v1
