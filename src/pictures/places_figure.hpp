// A schedule as a network: places as lines from left to right, what moves from one to another, and
// butterflies as the crossings that they have their name from.
#pragma once

#include <functional>

#include "faro/schedules/schedule.hpp"
#include "pictures/figure.hpp"

namespace faro::inline v1::pictures {

// Throws Error(limit) for more than 2^7 places or 64 steps.
Figure places_figure(const std::function<void(ScheduleSink&)>& push);

}  // namespace faro::inline v1::pictures
