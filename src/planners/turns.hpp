// Elements without limit, in turns: the plan of a part of them, performed over and over.
#pragma once

#include <optional>

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry cube_turns;
extern const PlannerEntry links_turns;
extern const PlannerEntry pops_turns;
extern const PlannerEntry ranks_turns;

// A map with memory bits as turns of 2^`slot_bits` elements: `repeat` changes places so that the
// highest memory bits number the turns, and `turn` is what each of them has to do.
//
//   'p:10 | m:20 -> rot(p m, 7)', slot_bits 12:  256 turns of 'p:10 | m:12 -> m[11:2] | p m[1:0]',
//   or of another map that exchanges as many bits
struct TurnsOfMap {
  Repeat repeat;
  MapGoal turn;
};

// The least slot bits of a turn: the rank of what memory bits give to processor bits.
int least_slot_bits(const MapGoal& goal);

// Requires a cut, and slot_bits from least_slot_bits to the map's memory bits.
TurnsOfMap turns_of(const MapGoal& goal, int slot_bits);

}  // namespace faro::inline v1
