// What the replays of all machines read alike: masks, and a schedule's goal element by element.
// Proofs read by themselves.
//
//   cube:1, K = 2, 'p:1 | m:1 -> m | p':  slot 1 of processor 0 to slot 0 of processor 1, and back;
//                                         slots 0 of 0 and 1 of 1 stay
#pragma once

#include "machines/judge.hpp"

namespace faro::inline v1::replay_goal {

// The first of the conditions or rows that is none of an address with so many bits.
const Parity* beyond(const std::vector<Parity>& parities, int bits);

// Whether the machine has all places that the goal names, and each is named once.
bool legal(const ScheduleHeader& header, Judge& judge);

// Each element that must end in one place: all of them for a map, those of a list, and those of the
// root everywhere. Requires a legal goal.
template <class Visit>
void each(const ScheduleHeader& header, Visit&& visit) {
  const auto all = static_cast<Word>(processors(header.machine));
  if (const auto* map = std::get_if<MapGoal>(&header.goal)) {
    const int memory = map->memory_bits;
    for (Word p = 0; p < all; ++p) {
      const Word q = map->cut ? 0 : map->map(p);
      for (Slot s = 0; s < header.elements; ++s) {
        const Word end = map->cut ? map->map((p << memory) | s) : 0;
        visit(map->cut ? Move{p, s, end >> memory, static_cast<Slot>(end & low_mask(memory))}
                       : Move{p, s, q, s});
      }
    }
  } else if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) {
    for (const Move& m : moves->moves) visit(m);
  } else if (const auto* broadcast = std::get_if<BroadcastGoal>(&header.goal)) {
    for (Word q = 0; broadcast->root && q < all; ++q)
      for (Slot s = 0; s < header.elements; ++s) visit(Move{*broadcast->root, s, q, s});
  }
}

}  // namespace faro::inline v1::replay_goal
