// A map that somebody typed, as the goal of a schedule on a machine.
//
//   "a:4 -> ungray(a)"           on cube:4, any K:   processors 0..15, slots move alike
//   "p:3 | m:2 -> m[0] p[2:1] | p[0] m[1]"  on cube:3, K = 4:   32 addresses, processor | slot
//
// Without "|" every bit is a processor bit; widths left out of the text follow from the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "faro/schedules/goal.hpp"
#include "faro/schedules/machine.hpp"

namespace faro::inline v1 {

// elements: K, where it is known; with a "|" it must be 2^m. Throws Error: usage for a text or a
// size that does not fit and for a text that is a layout and moves nothing, impossible on a machine
// without processor bits (POPS of other sizes than powers of two).
MapGoal map_goal_from(std::string_view text, const Machine& machine,
                      std::optional<std::uint64_t> elements);

}  // namespace faro::inline v1
