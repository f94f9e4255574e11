// Any affine map of processor bits, each bit once: row operations whose number is n for most maps
// of n bits, two elements at a time on a link.
//
//   a:60 -> a random map, K = 100     about 155 steps, one row operation after the other 316
//
// What is planned together is at most 2048 elements; more are planned in groups, one after the
// other. Elements beyond the first are complemented in a bit before they start, so that their
// exchanges fit beside those of others. See planners/cube/shuffle/exchange_lanes.hpp.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry bits_in_turn;
extern const PlannerEntry bits_in_turn_one_port;

}  // namespace faro::inline v1
