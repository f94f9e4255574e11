// What each way to walk a cycle costs, its phase, and the cheapest.
#include "planners/cube/shuffle/cycles.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "planners/cube/shuffle/ring.hpp"

namespace faro::inline v1::shuffle {
Count a1_ring_steps(int length, std::uint64_t elements) {
  const Count jobs = elements / 2;
  const auto s = static_cast<Count>(length);
  return std::max(jobs, s) + ceil_div(jobs, s);
}

Count a2_ring_steps(int length, std::uint64_t elements) {
  return std::max(static_cast<Count>(elements), static_cast<Count>(length));
}

std::optional<Count> lane_steps(const Cycle& cycle, std::uint64_t elements) {
  const std::vector<LaneForm> lanes = lanes_of(cycle);
  if (lanes.empty()) return std::nullopt;
  // A lane with phase p, latency l and interval v has ended 1 + (T - p - l)/v elements after T
  // steps.
  for (Count steps = 1;; ++steps) {
    Count ended = 0;
    for (const LaneForm& lane : lanes) {
      const Time first = lane.phase.value_or(0) + lane.latency;
      if (steps >= first) ended += 1 + (steps - first) / lane.interval;
    }
    if (ended >= elements) return steps;
  }
}

bool ahead_applies(const Cycle& cycle, std::uint64_t elements) {
  const int length = cycle.length();
  return length >= 4 && static_cast<unsigned>(length) % 2 != cycle.parity() &&
         2 * elements <= static_cast<std::uint64_t>(length);
}

Count cycle_steps(const Cycle& cycle, std::uint64_t elements) {
  const int length = cycle.length();
  Count best = Count::largest();
  if (length >= 2) best = a2_ring_steps(length, elements);
  if (length >= 2 && elements >= 2) best = std::min(best, a1_ring_steps(length, elements));
  if (const auto lanes = lane_steps(cycle, elements)) best = std::min(best, *lanes);
  if (ahead_applies(cycle, elements)) best = std::min(best, static_cast<Count>(length) - 1);
  return best;
}

Phase a1_ring_phase(const Structure& s) {
  Phase phase = make_phase(s, {.a1_control = 0, .a1_cycles = {0}});
  const auto length = static_cast<std::size_t>(s.cycles[0].length());
  const std::vector<Slot> jobs = phase.jobs(s);
  const std::size_t places = std::max(jobs.size(), length);
  // Places of the machines; waiting places stand before each, the first ones one more.
  std::vector<std::size_t> machine(length);
  const std::size_t waiting = places - length;
  std::size_t place = 0;
  for (std::size_t i = 0; i < length; ++i) {
    place += waiting / length + (i < waiting % length ? 1 : 0);
    machine[i] = place++;
  }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    std::size_t start = 0;
    while (start < length && machine[start] < j) ++start;
    std::vector<Time> times;
    for (std::size_t i = 0; i <= length; ++i) {
      const std::size_t laps = (start + i) / length;
      times.push_back(static_cast<Time>(machine[(start + i) % length] + laps * places - j));
    }
    push_a1(phase, s, 0, 0, jobs[j], static_cast<int>(start % length), times);
  }
  return phase;
}

Phase a2_ring_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  const auto length = static_cast<std::size_t>(s.cycles[0].length());
  const std::size_t places = std::max<std::size_t>(s.elements(), length);
  for (std::size_t x = 0; x < s.elements(); ++x) {
    const std::size_t start = x < length ? x : 0;
    Run run{.slot = static_cast<Slot>(x),
            .cycle = 0,
            .first = static_cast<std::uint8_t>(start),
            .steps = {}};
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t machine = (start + i) % length;
      run.steps.push_back(static_cast<Time>((machine + places - x) % places));
    }
    phase.runs.push_back(std::move(run));
  }
  return phase;
}

Phase lanes_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  const Count end = lane_steps(s.cycles[0], s.elements()).value();
  Slot next = 0;
  for (Time t = 0; next < s.elements(); ++t)
    for (const LaneForm& lane : lanes_of(s.cycles[0]))
      if (next < s.elements() && t % lane.interval == lane.phase.value_or(0) &&
          t + lane.latency <= end)
        phase.lanes.push_back({t, next++, 0, lane.kind, lane.turn});
  return phase;
}

Phase ahead_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  for (std::uint64_t x = 0; x < s.elements(); ++x)
    phase.aheads.push_back({.step = 0,
                            .slot = static_cast<Slot>(x),
                            .cycle = 0,
                            .first = static_cast<std::uint8_t>(2 * x)});
  return phase;
}

Phase best_cycle_phase(const Structure& s) {
  const Cycle& c = s.cycles[0];
  const Count best = cycle_steps(c, s.elements());
  if (lane_steps(c, s.elements()) == best) return lanes_phase(s);
  if (ahead_applies(c, s.elements())) return ahead_phase(s);
  if (a2_ring_steps(c.length(), s.elements()) == best) return a2_ring_phase(s);
  return a1_ring_phase(s);
}

Count sequence_steps(const Structure& s) {
  Structure ring = s;
  std::erase_if(ring.cycles, [](const Cycle& c) { return !c.even_pair(); });
  const bool on_ring = !ring.nothing_remote() && s.elements() >= 2;
  Count steps = on_ring ? ring_steps(ring) : 0;
  for (const Cycle& c : s.cycles)
    if (!on_ring || !c.even_pair()) steps += cycle_steps(c, s.elements());
  return steps;
}

Program sequence_program(const Structure& s) {
  Program program;
  Structure ring = s;
  std::erase_if(ring.cycles, [](const Cycle& c) { return !c.even_pair(); });
  const bool on_ring = !ring.nothing_remote() && s.elements() >= 2;
  if (on_ring) program.push_back({ring, ring_phase(ring)});
  for (std::size_t c = 0; c < s.cycles.size(); ++c) {
    if (on_ring && s.cycles[c].even_pair()) continue;
    const Structure part = cycle_only(s, c);
    program.push_back({part, best_cycle_phase(part)});
  }
  return program;
}

}  // namespace faro::inline v1::shuffle
