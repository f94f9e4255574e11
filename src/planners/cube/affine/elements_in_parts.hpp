// Elements in parts of the numbers that plans exist for, and a few more of them than there are.
//
//   a:6 -> rev(a), one port    4 elements take 15 steps, 8 take 27, a power of two K takes 3K + 3
//   7 elements                 8 of which one is absent: 27     (as pairs and one: 36)
//   11 elements                8, then 4 of which one is absent: 42     (54)
//
// Elements that move alike may be given to any plans. Permutations of bits are planned for powers
// of two; what is left over is a part of its own, or the last part has absent ones (absent.hpp).
// A later part begins while an earlier one leaves links, or with one port processors, idle.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry elements_in_parts;

}  // namespace faro::inline v1
