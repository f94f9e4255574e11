// A map that somebody typed, as the goal of a schedule on a machine.
//
//   "a:4 -> ungray(a)"           on cube:4, any K:   processors 0..15, slots move alike
//   "p:3 | m:2 -> m[0] p[2:1] | p[0] m[1]"  on cube:3, K = 4:   32 addresses, processor | slot
//   "r=16 c=16 -> c r"           on cube:3:          of an array, 32 elements in each processor
//
// Without "|" all is of the processors, if the words do not say more elements; what is left out
// follows from the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"
#include "faro/words/say.hpp"

namespace faro::inline v1 {

// What is known beside the words of a map on a machine with K elements in each processor: the
// shape of the array, or else the machine's sizes. Throws Error(impossible) on a machine without
// processor bits (POPS of other sizes than powers of two).
Sizes sizes_on(std::string_view words, const Machine& machine,
               std::optional<std::uint64_t> elements,
               const std::optional<std::vector<Word>>& shape = {});

// elements: K, where it is known; with memory bits it must be 2^m. Throws Error: usage for a size
// that does not fit, for a layout, which moves nothing, and for a map that is not of bits.
MapGoal goal_of(const Said& said, const Machine& machine, std::optional<std::uint64_t> elements);

// Both. Throws what say throws, too.
MapGoal map_goal_from(std::string_view words, const Machine& machine,
                      std::optional<std::uint64_t> elements);

}  // namespace faro::inline v1
