// A third judge of cube schedules, for tests: the rules of the machine in the most literal words,
// a dictionary of places, one move after the other.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::testing {

struct Judgement {
  bool ok = true;
  Cost cost;
  // One place where the element that started at (processor, slot) is in the end: the moves of a
  // goal that this schedule reaches.
  std::vector<Move> reached;
};

// Every move of a step on a cube of n dimensions; nothing if a rule names no part of the machine.
inline std::optional<std::vector<Move>> moves_of(const CubeStep& step, int n) {
  std::vector<Move> moves;
  for (const Rule& r : step.rules) {
    if (r.across != inside && (r.across < 0 || r.across >= n)) return {};
    for (Word p = 0; p < bit(n); ++p) {
      bool meets = true;
      for (const Parity& c : r.where) {
        if (c.mask >= bit(n) || c.value > 1) return {};
        meets = meets && parity(c.mask & p) == c.value;
      }
      if (meets) moves.push_back({p, r.from, r.across == inside ? p : p ^ bit(r.across), r.to});
    }
  }
  moves.insert(moves.end(), step.moves.begin(), step.moves.end());
  return moves;
}

inline Judgement judge_cube(const RecordingSink& schedule) {
  const auto& cube = std::get<Hypercube>(schedule.header.machine);
  const int n = cube.dimensions;
  const std::uint64_t elements = schedule.header.elements;
  using Place = std::pair<Word, Slot>;
  const Place nothing{bit(n), 0};
  Judgement judgement;
  std::map<Place, Place> memory;
  for (Word p = 0; p < bit(n); ++p)
    for (Slot s = 0; s < elements; ++s) memory[{p, s}] = {p, s};
  for (const CubeStep& step : schedule.cube_steps) {
    std::map<Place, Place> written;
    std::set<std::pair<Word, Word>> links;
    std::map<Word, Word> ports;
    bool remote = false;
    const auto moves = moves_of(step, n);
    judgement.ok = judgement.ok && moves.has_value();
    for (const Move& m : moves.value_or(std::vector<Move>{})) {
      const Word apart = m.from_processor ^ m.to_processor;
      const bool legal = m.from_processor < bit(n) && m.to_processor < bit(n) &&
                         m.from_slot < schedule.header.slots && m.to_slot < schedule.header.slots &&
                         (apart & (apart - 1)) == 0;
      judgement.ok = judgement.ok && legal;
      if (!legal) continue;
      if (apart != 0) {
        remote = true;
        judgement.cost.remote_moves += 1;
        if (!links.emplace(m.from_processor, m.to_processor).second) judgement.ok = false;
        if (cube.ports == Hypercube::Ports::one)
          for (const Word p : {m.from_processor, m.to_processor})
            if (ports.emplace(p, apart).first->second != apart) judgement.ok = false;
      }
      const auto held = memory.find({m.from_processor, m.from_slot});
      if (held == memory.end()) judgement.ok = false;
      const Place value = held == memory.end() ? nothing : held->second;
      if (!written.emplace(Place{m.to_processor, m.to_slot}, value).second) judgement.ok = false;
    }
    for (const auto& [place, value] : written) memory[place] = value;
    if (remote) judgement.cost.steps += 1;
  }
  std::set<Place> told = {nothing};
  for (const auto& [place, value] : memory)
    if (told.insert(value).second)
      judgement.reached.push_back({value.first, value.second, place.first, place.second});
  const auto expect = [&](Word p, Slot s, Word q, Slot t) {
    const auto held = memory.find({q, t});
    if (held == memory.end() || held->second != Place{p, s}) judgement.ok = false;
  };
  if (const auto* map = std::get_if<MapGoal>(&schedule.header.goal)) {
    for (Word p = 0; p < bit(n); ++p)
      for (Slot s = 0; s < elements; ++s) {
        if (!map->cut) {
          expect(p, s, map->map(p), s);
          continue;
        }
        const Word address = map->map((p << map->memory_bits) | s);
        expect(p, s, address >> map->memory_bits,
               static_cast<Slot>(address & low_mask(map->memory_bits)));
      }
  } else if (const auto* list = std::get_if<MovesGoal>(&schedule.header.goal)) {
    for (const Move& m : list->moves)
      expect(m.from_processor, m.from_slot, m.to_processor, m.to_slot);
  }
  if (schedule.header.cost && schedule.header.cost->difference(judgement.cost))
    judgement.ok = false;
  return judgement;
}

}  // namespace faro::testing
