// Operations of chains and cycles, and when the last one ends.
#include "planners/cube/shuffle/phase.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace faro::inline v1::shuffle {

Word Phase::control_mask() const {
  Word mask = 0;
  for (const int c : controls) mask |= bit(c);
  return mask;
}

std::vector<Slot> Phase::jobs(const Structure& s) const {
  std::vector<Slot> result;
  if (controls.empty()) return result;
  for (Word x = 0; x < s.elements(); ++x)
    if (!has_bit(x, controls.front())) result.push_back(static_cast<Slot>(x));
  return result;
}

Phase make_phase(const Structure& s, const PhaseOptions& options) {
  Phase phase;
  phase.own.assign(static_cast<std::size_t>(s.slot_bits), 0);
  Word used = 0;
  for (const Chain& chain : s.chains) {
    used |= bit(chain.control);
    for (std::size_t i = 0; i < chain.dimensions.size(); ++i) {
      phase.own[static_cast<std::size_t>(chain.control)] |= bit(chain.dimensions[i]);
      if (chain.inverted[i] != 0) phase.inversions ^= bit(chain.control);
    }
  }
  for (const std::uint16_t c : options.a1_cycles) {
    FARO_CHECK(options.a1_control >= 0);
    used |= bit(options.a1_control);
    phase.own[static_cast<std::size_t>(options.a1_control)] |= s.cycles[c].mask();
    if (s.cycles[c].parity() != 0) phase.inversions ^= bit(options.a1_control);
  }
  if (options.with_spare) {
    phase.spare = s.spare().value();
    used |= bit(phase.spare);
  }
  if (used == 0 && s.slot_bits > 0) used = 1;
  for (int i = 0; i < s.slot_bits; ++i)
    if (has_bit(used, i)) phase.controls.push_back(i);
  return phase;
}

void push_chain(Phase& phase, const Structure& s, int chain, Slot job, Time first) {
  const Chain& c = s.chains[static_cast<std::size_t>(chain)];
  for (std::size_t i = 0; i < c.dimensions.size(); ++i) {
    Exchange& e = phase.exchanges.emplace_back(exchange_of(c, i, c.control));
    e.step = first + static_cast<Time>(i);
    e.job = job;
  }
}

void push_a1(Phase& phase, const Structure& s, int cycle, int control, Slot job, int start,
             const std::vector<Time>& times) {
  const Cycle& c = s.cycles[static_cast<std::size_t>(cycle)];
  const auto length = static_cast<std::size_t>(c.length());
  FARO_CHECK(times.size() == length + 1);
  for (std::size_t i = 0; i <= length; ++i) {
    const std::size_t at = (static_cast<std::size_t>(start) + i) % length;
    Exchange& e = phase.exchanges.emplace_back(exchange_of(c, at, control));
    e.step = times[i];
    e.job = job;
    if (i == 0) e.inverted = 0;
  }
}

Time lane_latency(LaneKind kind) {
  switch (kind) {
    case LaneKind::complement:
    case LaneKind::o2f:
      return 1;
    case LaneKind::e2a:
    case LaneKind::e2b:
    case LaneKind::e3s:
    case LaneKind::e3f:
      return 2;
    case LaneKind::o2b:
      return 3;
    case LaneKind::e3b:
      return 4;
    case LaneKind::e4a:
    case LaneKind::e4b:
    case LaneKind::e4c:
      return 5;
  }
  return 0;
}

std::vector<LaneForm> lanes_of(const Cycle& cycle) {
  const int length = cycle.length();
  const bool odd = cycle.parity() != 0;
  if (length == 1) return {{LaneKind::complement, 1, 1}};
  if (length == 2 && !odd) return {{LaneKind::e2a, 2, 1}, {LaneKind::e2b, 2, 1}};
  if (length == 2) return {{LaneKind::o2f, 1, 1}, {LaneKind::o2b, 3, 3}};
  if (length == 3 && !odd)
    return {{LaneKind::e3s, 2, 1}, {LaneKind::e3f, 2, 2}, {LaneKind::e3b, 4, 4}};
  std::vector<LaneForm> lanes;
  if (length == 4 && !odd)
    for (std::uint8_t turn = 0; turn < 4; ++turn) {
      lanes.push_back({LaneKind::e4a, 5, 7, Time{0}, turn});
      lanes.push_back({LaneKind::e4b, 5, 7, Time{2}, turn});
      lanes.push_back({LaneKind::e4c, 5, 7, Time{4}, turn});
    }
  return lanes;
}

Time finish_of(const Structure& s, const Phase& phase) {
  Time finish = 0;
  for (const Exchange& e : phase.exchanges) finish = std::max(finish, e.step + 1);
  for (const Lane& l : phase.lanes) finish = std::max(finish, l.step + lane_latency(l.kind));
  for (const TimedRule& r : phase.rules) finish = std::max(finish, r.step + 1);
  for (const Run& r : phase.runs) finish = std::max(finish, r.steps.back() + 1);
  for (const Ahead& a : phase.aheads)
    finish = std::max(finish, a.step + static_cast<Time>(s.cycles[a.cycle].length()) - 1);
  return finish;
}

Time finish_of(const Program& program) {
  Time finish = 0;
  for (const Part& part : program) finish += finish_of(part.structure, part.phase);
  return finish;
}

Structure chains_only(const Structure& s) {
  Structure part = s;
  part.cycles.clear();
  return part;
}

Structure cycle_only(const Structure& s, std::size_t cycle) {
  Structure part = s;
  part.chains.clear();
  part.cycles = {s.cycles[cycle]};
  return part;
}

}  // namespace faro::inline v1::shuffle
