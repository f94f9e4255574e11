// More elements than are planned one by one: the plan of a few, with loops.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

// More elements of a processor than this get plans with loops where that is possible: plans that
// list the steps of so many take a tenth of a second.
inline constexpr std::uint64_t looped_elements_min = std::uint64_t{1} << 10U;

extern const PlannerEntry cube_loops;
extern const PlannerEntry links_loops;
extern const PlannerEntry pops_loops;
extern const PlannerEntry ranks_loops;

}  // namespace faro::inline v1
