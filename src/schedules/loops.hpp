// What loops have in common on all machines: how much they are, and their slots in a lap.
//
//   laps 3, body {slot 0, to 5, advance {1, 0}}    6 moves and steps; slots 0..2, into 5
#pragma once

#include <optional>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// Rules and moves of one lap, which have an advance each.
inline std::size_t items_of(const CubeStep& step) {
  return step.rules.size() + step.moves.size();
}
inline std::size_t items_of(const PopsSlot& slot) {
  return slot.rules.size();
}

// what(slot, slot, advance) for the two slots of each rule and move of an entry's step, in the
// order of the advances, of which there is one for each.
template <class Do>
void for_each_item(CubeStep& step, const std::vector<Advance>& advances, Do what) {
  auto advance = advances.begin();
  for (Rule& rule : step.rules) what(rule.from, rule.to, *advance++);
  for (Move& move : step.moves) what(move.from_slot, move.to_slot, *advance++);
}
template <class Do>
void for_each_item(PopsSlot& slot, const std::vector<Advance>& advances, Do what) {
  auto advance = advances.begin();
  for (PopsRule& rule : slot.rules) what(rule.reg, rule.into, *advance++);
}

// Conditions of rules, which cost whoever asks them.
inline std::size_t conditions_of(const CubeStep& step) {
  std::size_t count = 0;
  for (const Rule& rule : step.rules) count += rule.where.size();
  return count;
}
inline std::size_t conditions_of(const PopsSlot& slot) {
  std::size_t count = 0;
  for (const PopsRule& rule : slot.rules) count += rule.where.size() + rule.to.size();
  return count;
}

// Rules, their conditions, moves and steps of all laps.
template <class Step>
Count moves_of(const Loop<Step>& loop) {
  Count lap = loop.body.size();
  for (const auto& entry : loop.body) lap += items_of(entry.first) + conditions_of(entry.first);
  return lap * loop.laps;
}

// A slot after so many laps; nothing where the 32 bits of Slot do not hold it.
std::optional<Slot> advanced(Slot first, std::int64_t by, std::uint64_t laps);

// Memory bits from here on stay where they are and say nothing of others, so they are what laps go
// on by; 0 without a cut.
int moving_bits(const MapGoal& goal);

}  // namespace faro::inline v1
