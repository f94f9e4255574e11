// A loop of a schedule file, held whole while it is read: how many laps it takes is known at its
// end at the latest, and what its slots are in the last lap is checked then.
//
//   {"loop":{"laps":5,"body":[{"rules":[{"slot":0,"across":1,"to":7,"advance":[1,0]}]}, ...]}}
#pragma once

#include <vector>

#include "faro/schedules/schedule.hpp"
#include "schedules/json_parts.hpp"

namespace faro::inline v1::json {

// The advances of a step that is read: of its rules, and of its moves, which may come first.
struct Advances {
  std::vector<Advance> rules;
  std::vector<Advance> moves;
};

class LoopReader {
 public:
  void begin();
  void take_laps(const Value& value);
  // Count a step, and a rule or a move. Throw Error(limit).
  void count_step();
  void count_item();
  // A step of the machine's kind.
  void add(const CubeStep& step, const Advances& advances);
  void add(const PopsSlot& slot, const Advances& advances);
  // Hands the loop on and gives its number of steps. Throws Breach for one that cannot be.
  Count push_to(ScheduleSink& sink, bool slots);

 private:
  void count_items(std::uint64_t more);
  std::uint64_t laps_ = 0;
  std::uint64_t items_ = 0;
  CubeLoop cube_;
  PopsLoop pops_;
};

}  // namespace faro::inline v1::json
