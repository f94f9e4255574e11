// One port, all processors on one dimension a step.
//
//   applies:  any permutation of bits with complements
//   cost:     P·(dimensions in chains) + K·(complemented) + (K+1)·(even 2-cycles)
//             + P(m+1) for each other real cycle of m dimensions; P = K/2.  K = 1: m each;
//             the even 3-cycle from K = 16 on about 12K/7 + 2
//   bound:    the average number of sends of a processor, K/2 for each dimension that moves; met by
//             chains and complements
#include "planners/cube/shuffle/cycles.hpp"

namespace faro::inline v1::shuffle {
namespace {

Phase chains_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  Time now = 0;
  for (const Slot job : phase.jobs(s))
    for (std::size_t c = 0; c < s.chains.size(); ++c) {
      push_chain(phase, s, static_cast<int>(c), job, now);
      now += static_cast<Time>(s.chains[c].length());
    }
  return phase;
}

// Lanes that every processor walks over the same dimensions at the same time.
Phase lanes_in_turn(const Structure& s) {
  Phase phase = make_phase(s, {});
  for (Slot x = 0; x < s.elements(); ++x) {
    const bool pair = s.cycles[0].length() == 2;
    const LaneKind kind = !pair ? LaneKind::complement : x % 2 == 0 ? LaneKind::e2a : LaneKind::e2b;
    phase.lanes.push_back({x, x, 0, kind});
  }
  return phase;
}

// K = 1: A2, one dimension a step.
Phase run_phase(const Structure& s) {
  Phase phase = make_phase(s, {});
  Run run{.slot = 0, .cycle = 0, .first = 0, .steps = {}};
  for (int i = 0; i < s.cycles[0].length(); ++i) run.steps.push_back(static_cast<Time>(i));
  phase.runs.push_back(std::move(run));
  return phase;
}

// From 16 elements on the lanes are faster than A1.
bool even_three(const Cycle& cycle, std::uint64_t elements) {
  return cycle.length() == 3 && cycle.parity() == 0 && elements >= 16;
}

}  // namespace

Phase real_a1_one_port_phase(const Structure& s) {
  Phase phase = make_phase(s, {.a1_control = 0, .a1_cycles = {0}});
  Time now = 0;
  for (const Slot job : phase.jobs(s)) {
    std::vector<Time> times;
    for (int i = 0; i <= s.cycles[0].length(); ++i) times.push_back(now++);
    push_a1(phase, s, 0, 0, job, 0, times);
  }
  return phase;
}

Count one_port_steps(const Structure& s) {
  const Count elements = s.elements();
  const Count jobs = elements / 2;
  Count steps = 0;
  for (const Chain& c : s.chains) steps += jobs * static_cast<Count>(c.length());
  for (const Cycle& c : s.cycles) {
    const auto length = static_cast<Count>(c.length());
    if (length == 1)
      steps += elements;
    else if (c.even_pair())
      steps += elements + 1;
    else if (even_three(c, s.elements()))
      steps += one_port_three_steps(s.elements());
    else
      steps += elements == 1 ? length : jobs * (length + 1);
  }
  return steps;
}

Program one_port_program(const Structure& s) {
  Program program;
  if (!s.chains.empty()) program.push_back({chains_only(s), chains_phase(chains_only(s))});
  for (std::size_t c = 0; c < s.cycles.size(); ++c) {
    const Structure part = cycle_only(s, c);
    const Cycle& cycle = part.cycles[0];
    if (cycle.length() == 1 || cycle.even_pair())
      program.push_back({part, lanes_in_turn(part)});
    else if (even_three(cycle, s.elements()))
      program.push_back({part, one_port_three_phase(part)});
    else
      program.push_back({part, s.elements() == 1 ? run_phase(part) : real_a1_one_port_phase(part)});
  }
  return program;
}

}  // namespace faro::inline v1::shuffle
