#include "machines/cube/butterfly_bound.hpp"

#include <fmt/format.h>

#include <bit>

#include "faro/algebra/layout.hpp"

namespace faro::inline v1 {

Word top_processor_bit(const ButterflyGoal& goal) {
  const bool cyclic = goal.allocation == Allocation::cyclic;
  return bit((cyclic ? goal.processor_bits : goal.index_bits) - 1);
}

namespace {

// Index bits whose pairs share a processor at the start.
int local_bits(const ButterflyGoal& goal) {
  const BitMap place = place_of(goal.layout());
  Word apart = 0;
  for (int d = 0; d < goal.processor_bits; ++d)
    apart |= place.matrix().row(goal.index_bits - goal.processor_bits + d);
  return goal.index_bits - std::popcount(apart);
}

}  // namespace

Bound lower_bound(const Hypercube& cube, const ButterflyGoal& goal) {
  const Count n = static_cast<Count>(cube.dimensions);
  if (n == 0) return {0, "one processor: nothing moves", {}};
  const Count k = Count{1} << static_cast<unsigned>(goal.index_bits - goal.processor_bits);
  const bool cyclic = goal.allocation == Allocation::cyclic;
  const bool msb = goal.order == ButterflyGoal::Order::most_significant_first;
  const bool stays = !goal.final_processor_rows.empty() &&
                     goal.final_processor_rows.front() == top_processor_bit(goal);
  const bool half = cyclic == msb && !stays;
  // More dimensions than bits that are local at the start: one of them ends with a bit that is not.
  const bool late = half && k > 1 && local_bits(goal) < cube.dimensions;
  const Count rank = half ? ceil_div(k, 2) + (late ? 1 : 0) : k;
  if (rank <= n) {
    return {n, fmt::format("n = {}: a result depends on every processor", to_string(n)),
            certificate::Distance{0, 0}};
  }
  if (late) {
    return {rank,
            fmt::format("K/2 + 1 = {}: the rank of the network across one dimension, and what is "
                        "sent first is only half of what must cross",
                        to_string(rank)),
            certificate::Rank{cube.dimensions - 1}};
  }
  // With the lowest bits first and in the processors, the last dimension's rank is K/2 only where
  // its results end with an earlier bit.
  return {rank,
          fmt::format("{} = {}: the rank of the network across one dimension, an element a link",
                      half ? "K/2" : "K", to_string(rank)),
          certificate::Rank{cyclic && !msb ? 0 : cube.dimensions - 1}};
}

Bound sorting_bound(const Hypercube& cube, int index_bits) {
  const Count n = static_cast<Count>(cube.dimensions);
  if (n == 0) return {0, "one processor: nothing moves", {}};
  const Count k = Count{1} << static_cast<unsigned>(index_bits - cube.dimensions);
  if (k > n) {
    return {k, fmt::format("K = {}: all keys may belong across one dimension", to_string(k)),
            certificate::Cut{{{bit(cube.dimensions - 1), 0}}}};
  }
  return {n, fmt::format("n = {}: a key may belong at the other end", to_string(n)),
          certificate::Distance{0, 0}};
}

}  // namespace faro::inline v1
