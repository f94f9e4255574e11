// What loops of rules on a cube do, by a table of what every place holds: the goal of loops that
// nobody planned. It shares nothing with replay or proof but at_lap.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::testing {

// One place of each element, at the end.
inline std::vector<Move> reached(const ScheduleHeader& header, const std::vector<CubeLoop>& loops) {
  using Place = std::pair<Word, Slot>;
  const Word all = bit(std::get<Hypercube>(header.machine).dimensions);
  std::map<Place, Place> holds;
  for (Word p = 0; p < all; ++p)
    for (Slot s = 0; s < header.elements; ++s) holds[{p, s}] = {p, s};
  CubeStep step;
  for (const CubeLoop& loop : loops)
    for (std::uint64_t lap = 0; lap < loop.laps; ++lap)
      for (const auto& entry : loop.body) {
        at_lap(entry, lap, step);
        std::map<Place, Place> written;
        for (const Rule& rule : step.rules)
          for (Word p = 0; p < all; ++p) {
            const bool performs =
                std::all_of(rule.where.begin(), rule.where.end(),
                            [p](const Parity& condition) { return condition.holds(p); });
            const Word q = rule.across == inside ? p : p ^ bit(rule.across);
            if (performs && holds.contains({p, rule.from}))
              written[{q, rule.to}] = holds[{p, rule.from}];
          }
        for (const auto& [to, what] : written) holds[to] = what;
      }
  std::vector<Move> moves;
  std::set<Place> told;
  for (const auto& [to, what] : holds)
    if (to.second < header.slots && told.insert(what).second)
      moves.push_back({what.first, what.second, to.first, to.second});
  return moves;
}

}  // namespace faro::testing
