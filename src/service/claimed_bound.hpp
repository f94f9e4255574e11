// What becomes of a bound that no certificate proves: where few elements move, a plan that takes
// fewer disproves it.
#pragma once

#include <optional>
#include <string>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// Whether it is tried: up to limits::claimed_bound_elements_max elements, of a goal that a plan can
// be asked for.
bool claim_is_tried(const ScheduleHeader& header);

// A plan that both verifiers call right and that takes fewer than the header's bound, in words;
// nothing if none was found, which proves nothing.
std::optional<std::string> disproof_of_bound(const ScheduleHeader& header);

}  // namespace faro::inline v1
