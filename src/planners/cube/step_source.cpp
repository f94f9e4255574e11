// Steps made when they are asked for, and free steps inside processors.
#include "planners/cube/step_source.hpp"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {

StepSource kept_steps(std::uint64_t slots, std::vector<CubeStep> steps) {
  const auto kept = std::make_shared<const std::vector<CubeStep>>(std::move(steps));
  return {.slots = slots, .steps = kept->size(), .make = [kept](std::uint64_t t, CubeStep& out) {
            out = (*kept)[t];
          }};
}

std::vector<Parity> only_at(Word processor, int dimensions) {
  std::vector<Parity> where;
  for (int d = 0; d < dimensions; ++d) where.push_back({bit(d), has_bit(processor, d) ? 1U : 0U});
  return where;
}

void invert(CubeStep& step) {
  for (Rule& rule : step.rules) {
    std::swap(rule.from, rule.to);
    if (rule.across == inside) continue;
    for (Parity& c : rule.where)
      if (has_bit(c.mask, rule.across)) c.value ^= 1U;
  }
  for (Move& move : step.moves) {
    std::swap(move.from_processor, move.to_processor);
    std::swap(move.from_slot, move.to_slot);
  }
}

namespace {

// Slot s to slot map(s) in every processor; all reads happen before all writes.
void move_slots(const BitMap& map, std::uint64_t elements, CubeStep& out) {
  for (std::uint64_t s = 0; s < elements; ++s)
    if (map(s) != s)
      out.rules.push_back({.where = {},
                           .from = static_cast<Slot>(s),
                           .across = inside,
                           .to = static_cast<Slot>(map(s))});
}

}  // namespace

void flip_slots(std::span<const Word> masks, std::uint64_t slots, ScheduleSink& sink) {
  CubeStep step;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (masks[i] == 0) continue;
    step.clear();
    for (std::uint64_t s = 0; s < slots; ++s)
      step.rules.push_back({{{masks[i], 1}},
                            static_cast<Slot>(s),
                            inside,
                            static_cast<Slot>(s ^ bit(static_cast<int>(i)))});
    sink.step(step);
  }
}

void push_slots(const SplitMap& map, std::uint64_t elements, ScheduleSink& sink) {
  CubeStep step;
  if (map.slots.width() > 0) move_slots(map.slots, elements, step);
  if (!step.rules.empty()) sink.step(step);
  flip_slots(map.after, elements, sink);
}

void emit(const Request& request, std::string_view planner, const StepSource& source,
          ScheduleSink& sink) {
  const std::optional<SplitMap> split = split_map(request);
  FARO_CHECK(split.has_value());
  sink.begin(header_of(request, planner, source.slots));
  CubeStep step;
  for (std::uint64_t i = 0; i < source.steps; ++i) {
    step.clear();
    source.make(i, step);
    if (step.rules.empty() && step.moves.empty()) continue;
    sink.step(step);
  }
  push_slots(*split, request.elements(), sink);
  sink.finish();
}

}  // namespace faro::inline v1
