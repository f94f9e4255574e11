// The list scheduler: for what the closed forms do not reach, on small machines. Outputs in another
// code least significant bit first, dimensions restored in fewer steps than replication takes, and
// small K where every control bit counts.
//
//   cost:    found by a search with a fixed number of trials; exact, because the plan is made
//            before it is said
//   bound:   max(n, K/2) or max(n, K)
//   limits:  n >= 1, K >= 2, at most 2^11 elements
//
// paired_dimensions schedules the paper's remark to Theorem 1 by the same search: dimensions by
// pairs, one of each used twice, K + 4 ceil(n/2) - 6.
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry list_scheduler;
extern const ButterflyEntry paired_dimensions;
extern const ButterflyEntry consecutive_output;

}  // namespace faro::inline v1
