// The least number of steps of any schedule, with or without replication, for a butterfly network
// on a cube.   [Johnsson, Ho 1990 state the costs; the argument is ours]
//
//   memory stages first      max(n, ceil(K/2))
//   processor stages first   max(n, K)
//
// Distance: an output depends on the inputs of every processor. Rank: with generic twiddles the
// results on one side of a dimension depend on K/2 numbers a link from the other side, or on K
// where no stage has combined the elements of a processor before.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// Of the goal only layout and order count, and the final rows not at all.
Bound lower_bound(const Hypercube& cube, const ButterflyGoal& goal);

// Sorting 2^index_bits keys by whatever method, equally many in each processor.
Bound sorting_bound(const Hypercube& cube, int index_bits);

}  // namespace faro::inline v1
