// The list scheduler: for what the closed forms do not reach, on small machines. Outputs in another
// code least significant bit first, dimensions restored in fewer steps than replication takes, and
// small K where every control bit counts.
//
//   cost:    found by a search with a fixed number of trials; exact, because the plan is made
//            before it is said
//   bound:   max(n, K/2) or max(n, K)
//   limits:  n >= 1, K >= 2, at most 2^11 elements
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry list_scheduler;

}  // namespace faro::inline v1
