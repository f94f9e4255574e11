// A cube schedule whose step t can be made without its predecessors. One description then gives
// the schedule, streamed, and the schedule of the inverse map, streamed as well:
//
//   step t       {if C, slot s, across d, to u}
//   inverse      step T-1-t:  {if C', slot u, across d, to s}, where C' is C with the value flipped
//                of every mask that contains d: the processors on the other side of the links
//
// Every element then walks its path backwards; a source keeps its value, which nobody needs. The
// cost is the same. A local rule exchanges its slots only.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "faro/planners/planner.hpp"
#include "faro/schedules/schedule.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {

enum class Direction { forward, inverse };

struct StepSource {
  std::uint64_t slots = 1;
  std::uint64_t steps = 0;                                      // local ones and empty ones too
  std::function<void(std::uint64_t step, CubeStep& out)> make;  // `out` comes empty
  std::uint64_t lead = 0;                                       // the first ones, if local
};

// Steps kept in memory: what needs its whole history to be made.
StepSource kept_steps(std::uint64_t slots, std::vector<CubeStep> steps);

// The conditions that one processor alone meets.
std::vector<Parity> only_at(Word processor, int dimensions);

// Slots of a step, one by one, as others.
template <class Place>
void place_slots(CubeStep& step, Place&& place) {
  for (Rule& rule : step.rules) {
    rule.from = place(rule.from);
    rule.to = place(rule.to);
  }
  for (Move& move : step.moves) {
    move.from_slot = place(move.from_slot);
    move.to_slot = place(move.to_slot);
  }
}

// Slot bit i ^= parity(p & masks[i]) in every processor, one free step a bit.
void flip_slots(std::span<const Word> masks, std::uint64_t slots, ScheduleSink& sink);

// Free steps that move slots as the map says, after the processors' part.
void push_slots(const SplitMap& map, std::uint64_t elements, ScheduleSink& sink);

// begin, the steps that have a rule or a move, then free steps that move slots as the request's
// memory bits say (none if they stay), then finish. For maps that split; the source does the
// processors' part.
void emit(const Request& request, std::string_view planner, const StepSource& source,
          ScheduleSink& sink);

// The inverse of one step, in place.
void invert(CubeStep& step);

}  // namespace faro::inline v1
