// Lower bounds that follow from the machine and the goal alone, each with its reason in words. The
// best of all known ones; a bound of 0 with the reason "nothing moves" is a bound too.
#pragma once

#include <cstdint>
#include <span>

#include "faro/schedules/schedule.hpp"

namespace faro {

Bound lower_bound(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements);

}  // namespace faro
