// The best flow on a small cube: weights of links, and of ports where there is one, that make a
// step pay as little and the elements as much as possible, found by multiplicative weights and
// rounded to small whole numbers. They are a certificate whatever found them.
//
//   a:2 -> a[0] a[0]+a[1], K = 64:   43 steps, where half of the elements crossing a dimension say
//   32
#pragma once

#include <optional>

#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

// Of a map with memory bits on a cube of 2 to 5 dimensions, or of the parts of as many dimensions
// that a map without falls into; nothing where there are none, or nothing moves.
std::optional<Bound> flow_bound(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements);

}  // namespace faro::inline v1
