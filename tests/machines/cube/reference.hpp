// A third judge of cube schedules, for tests: the rules of the machine in the most literal words,
// a dictionary of places, one move after the other.
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::testing {

struct Judgement {
  bool ok = true;
  Cost cost;
  // Where the element that started at (processor, slot) is in the end: the moves of a goal that
  // this schedule reaches. Only if no rule was broken.
  std::vector<Move> reached;
};

Judgement judge_cube(const RecordingSink& schedule);

}  // namespace faro::testing
