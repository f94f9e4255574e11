// The least number of steps of any schedule, with or without replication, for a butterfly network
// on a cube.   [Johnsson, Ho 1990 state the costs; the argument is ours]
//
//   memory stages first      max(n, ceil(K/2)); max(n, K/2 + 1) where n exceeds the number of bits
//                            whose pairs share a processor at the start
//   processor stages first   max(n, K)
//   natural order            max(n, K)
//
// Distance: an output depends on the inputs of every processor. Rank: with generic twiddles the
// results on one side of a dimension depend on K/2 numbers a link from the other side, or on K
// where no stage has combined the elements of a processor before. The first step: see
// machines/certificates/network.cpp.
//
// Natural order: the top dimension keeps its index bit t, whose row may have been t ^ (t+1) in the
// code of the whole index. With blocks of the identity in all stages but those of t and t+1 what
// one side ends with depends on all that the other began with, invertibly: K numbers a link. Then
// so it is with generic twiddles.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// The index bit of the highest dimension, as a row.
Word top_processor_bit(const ButterflyGoal& goal);

// Of the goal only layout, code and order count, and of the final rows the first: whether it is
// top_processor_bit.
Bound lower_bound(const Hypercube& cube, const ButterflyGoal& goal);

// Sorting 2^index_bits keys by whatever method, equally many in each processor.
Bound sorting_bound(const Hypercube& cube, int index_bits);

}  // namespace faro::inline v1
