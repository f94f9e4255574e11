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

Count busy_steps(std::uint64_t rate, std::vector<Recurring> events) {
  // In each residue modulo the rate an event is an interval of rounds; count their union.
  std::sort(events.begin(), events.end(), [rate](const Recurring& a, const Recurring& b) {
    return std::tuple(a.start % rate, a.start) < std::tuple(b.start % rate, b.start);
  });
  Count busy = 0;
  Count covered = 0;  // rounds of this residue below it are counted
  std::uint64_t residue = 0;
  for (const Recurring& e : events) {
    if (e.start % rate != residue) covered = 0;
    residue = e.start % rate;
    const Count first = std::max<Count>(covered, e.start / rate);
    const Count end = Count{e.start / rate} + e.times;
    if (end > first) busy += end - first;
    covered = std::max(covered, end);
  }
  return busy;
}

StepSource side_by_side(std::uint64_t elements, std::vector<Part> parts) {
  std::uint64_t slots = elements;
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> transit;
  for (const Part& part : parts) {
    transit.push_back(slots);
    slots += part.source.slots - part.count;
    steps = std::max(steps, part.source.steps);
  }
  const auto make = [parts = std::move(parts), transit = std::move(transit)](std::uint64_t t,
                                                                             CubeStep& out) {
    CubeStep one;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Part& part = parts[i];
      if (t >= part.source.steps) continue;
      one.clear();
      part.source.make(t, one);
      const auto slot = [&](Slot s) {
        return static_cast<Slot>(s < part.count ? part.first + part.stride * s
                                                : transit[i] + (s - part.count));
      };
      for (Rule& rule : one.rules) {
        rule.from = slot(rule.from);
        rule.to = slot(rule.to);
        out.rules.push_back(std::move(rule));
      }
    }
  };
  return {.slots = slots, .steps = steps, .make = make};
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
  push_slots(*split, request.elements(), sink);
  sink.finish();
}

}  // namespace faro::inline v1
