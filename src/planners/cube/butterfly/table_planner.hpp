// Plans found by long searches, shipped as data: fewer steps than any closed form reaches.
//
//   K = 4, cyclic, Gray to binary, n = 3, 5, 6: n steps, by irregular schedules
//   n = 4, 5, 6 with K = 8, n = 5 with K = 16: plans whose elements of one class move alike
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry table_planner;

}  // namespace faro::inline v1
