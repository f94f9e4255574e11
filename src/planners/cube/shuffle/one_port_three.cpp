// The even cycle of three dimensions with one port.   [faro]
//
// Class i are the elements that must cross dimensions i and i+1 of the cycle. Three lanes:
//
//   s   starts at t = i (mod 3), hops at t, t+1
//   f   starts at t = 3(m_i ^ phi) + (i+1 mod 3) (mod 6), hops at t and t+2, class 0 at t+5
//   b   starts at t = 2, 6, 10 (class 0, 1, 2) + 3 delta (mod 12), hops at t..t+3 the long way
//
// Element x of class i takes the class's x-th start. It arrives where class i+1 starts; until that
// one has left, it waits in a slot of its own.
#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "planners/cube/shuffle/cycles.hpp"
#include "planners/cube/shuffle/rule_forms.hpp"

namespace faro::inline v1::shuffle {
namespace {

struct Start {
  Time step = 0;
  LaneKind kind = LaneKind::e3s;
  std::vector<Time> hops;
  Time end() const { return hops.back() + 1; }
};

struct Offsets {
  unsigned phi = 0;
  Time delta = 0;
};

std::vector<Start> starts_at(std::size_t i, Time t, const Offsets& offsets) {
  std::vector<Start> starts;
  const auto first = static_cast<Time>(i);
  if (t % 3 == first) starts.push_back({t, LaneKind::e3s, {t, t + 1}});
  const unsigned late = (i == 2 ? 1U : 0U) ^ offsets.phi;
  if (t % 6 == 3 * late + (first + 1) % 3)
    starts.push_back({t, LaneKind::e3f, {t, t + (i == 0 ? 5U : 2U)}});
  if (t % 12 == (2 + 4 * first + 3 * offsets.delta) % 12)
    starts.push_back({t, LaneKind::e3b, {t, t + 1, t + 2, t + 3}});
  return starts;
}

// The starts of a class that have ended after `end` steps, by time.
std::vector<Start> starts_until(std::size_t i, Time end, const Offsets& offsets) {
  std::vector<Start> starts;
  for (Time t = 0; t < end; ++t)
    for (Start& start : starts_at(i, t, offsets))
      if (start.end() <= end) starts.push_back(std::move(start));
  return starts;
}

struct Timing {
  Offsets offsets;
  Time end = 0;
};

Timing timing_of(std::uint64_t elements) {
  Timing best;
  for (unsigned phi = 0; phi < 2; ++phi)
    for (Time delta = 0; delta < 4; ++delta) {
      const Offsets offsets{phi, delta};
      // 12K/7 is the bound, so few ends are tried.
      for (auto end = static_cast<Time>(elements * 12 / 7); best.end == 0 || end < best.end;
           ++end) {
        bool enough = true;
        for (std::size_t i = 0; i < 3 && enough; ++i)
          enough = starts_until(i, end, offsets).size() >= elements;
        if (enough) best = {offsets, end};
      }
    }
  return best;
}

}  // namespace

Count one_port_three_steps(std::uint64_t elements) {
  return timing_of(elements).end;
}

Phase one_port_three_phase(const Structure& s) {
  const Timing timing = timing_of(s.elements());
  Phase phase = make_phase(s, {});
  std::array<std::vector<Start>, 3> starts;
  for (std::size_t i = 0; i < 3; ++i) starts[i] = starts_until(i, timing.end, timing.offsets);
  // Transit slots: free again from this step on.
  std::vector<Time> busy;
  struct Walk3 {
    Time step;
    std::size_t i;
    Slot x;
  };
  std::vector<Walk3> walks;
  for (std::size_t i = 0; i < 3; ++i)
    for (Slot x = 0; x < s.elements(); ++x) walks.push_back({starts[i][x].step, i, x});
  std::stable_sort(walks.begin(), walks.end(),
                   [](const Walk3& a, const Walk3& b) { return a.step < b.step; });
  for (const Walk3& walk : walks) {
    const Start& start = starts[walk.i][walk.x];
    const Time last = start.hops.back();
    const bool waits = starts[(walk.i + 1) % 3][walk.x].step > last;
    const Time until = waits ? timing.end : last;
    std::size_t chosen = 0;
    while (chosen < busy.size() && busy[chosen] > start.step) ++chosen;
    if (chosen == busy.size()) busy.push_back(0);
    busy[chosen] = until;
    const auto transit = static_cast<Slot>(s.elements() + chosen);
    const LaneClass form = lane_classes(s.cycles[0], start.kind)[walk.i];
    std::vector<Parity> where = form.where;
    for (std::size_t h = 0; h < start.hops.size(); ++h) {
      const bool home = h + 1 == start.hops.size() && !waits;
      phase.rules.push_back({start.hops[h],
                             {.where = where,
                              .from = h == 0 ? walk.x : transit,
                              .across = form.across[h],
                              .to = home ? walk.x : transit}});
      for (Parity& c : where) c.value ^= parity(c.mask & bit(form.across[h]));
    }
    if (waits)
      phase.last_rules.push_back({.where = where, .from = transit, .across = inside, .to = walk.x});
  }
  phase.slots = s.elements() + busy.size();
  return phase;
}

}  // namespace faro::inline v1::shuffle
