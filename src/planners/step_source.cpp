#include "faro/planners/step_source.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "faro/base/check.hpp"
#include "faro/planners/cube_request.hpp"

namespace faro {

StepSource kept_steps(std::uint64_t slots, std::vector<CubeStep> steps) {
  const auto kept = std::make_shared<const std::vector<CubeStep>>(std::move(steps));
  return {.slots = slots, .steps = kept->size(), .make = [kept](std::uint64_t t, CubeStep& out) {
            out = (*kept)[t];
          }};
}

StepSource one_after_another(std::uint64_t slots, std::vector<StepSource> parts) {
  std::uint64_t steps = 0;
  for (const StepSource& part : parts) {
    steps += part.steps;
    slots = std::max(slots, part.slots);
  }
  return {.slots = slots,
          .steps = steps,
          .make = [parts = std::move(parts)](std::uint64_t t, CubeStep& out) {
            std::size_t i = 0;
            for (; t >= parts[i].steps; ++i) t -= parts[i].steps;
            parts[i].make(t, out);
          }};
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

void emit(const Request& request, const char* planner, const StepSource& source,
          Direction direction, ScheduleSink& sink) {
  const std::optional<SplitMap> split = split_map(request);
  FARO_CHECK(split.has_value());
  sink.begin(cube_header(request, planner, source.slots));
  CubeStep step;
  for (std::uint64_t i = 0; i < source.steps; ++i) {
    step.clear();
    source.make(direction == Direction::forward ? i : source.steps - 1 - i, step);
    if (step.rules.empty() && step.moves.empty()) continue;
    if (direction == Direction::inverse) invert(step);
    sink.step(step);
  }
  step.clear();
  if (split->slots.width() > 0) move_slots(split->slots, request.elements, step);
  if (!step.rules.empty()) sink.step(step);
  sink.finish();
}

}  // namespace faro
