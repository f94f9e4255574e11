// A third judge of cube schedules, for tests: the rules of the machine in the most literal words,
// a dictionary of places, one move after the other.
#pragma once

#include <optional>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::testing {

struct Judgement {
  bool ok = true;
  Cost cost;
  // One place where the element that started at (processor, slot) is in the end: the moves of a
  // goal that this schedule reaches.
  std::vector<Move> reached;
};

// Every move of a step on a cube of n dimensions; nothing if a rule names no part of the machine.
std::optional<std::vector<Move>> moves_of(const CubeStep& step, int n);

Judgement judge_cube(const RecordingSink& schedule);

}  // namespace faro::testing
