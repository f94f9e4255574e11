// Schedules that are performed several times over, in turns: what one turn has to achieve.
//
//   'p:2 | m:3 -> m[1:0] | p m[2]' in 2 turns, after 'p:2 | m:3 -> p | m[1:0] m[2]':
//   memory bit 2 stays a memory bit whatever the others are; it numbers the turns, and a turn
//   exchanges p with the other two
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

inline bool takes_turns(const ScheduleHeader& header) {
  return !(header.repeat == Repeat{});
}

// The header of one turn, without claims; a text where the turns do not fit the goal.
std::variant<ScheduleHeader, std::string> one_turn(const ScheduleHeader& header);

// The cost of `times` turns.
Cost times_over(const Cost& cost, std::uint64_t times);

// Throws Error(impossible) for a schedule in turns; `what` completes "... follows one performance".
void refuse_turns(const ScheduleHeader& header, std::string_view what);

}  // namespace faro::inline v1
