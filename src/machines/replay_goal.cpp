// Registers are told apart from slots by the machine: what a list moves on may begin in any.
#include "machines/replay_goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "schedules/machine_kind.hpp"

namespace faro::inline v1::replay_goal {
namespace {

// Why the map is none of the machine's places; nothing if it is.
std::string not_of(const ScheduleHeader& header, const MapGoal& goal) {
  const int memory = goal.cut ? goal.memory_bits : 0;
  const int bits = goal.map.width() - memory;
  if (memory < 0 || memory >= word_bits || bits < 0 ||
      (Count{1} << static_cast<unsigned>(bits)) != processors(header.machine))
    return fmt::format("a map of {} bits, {} of them memory, for {} processors", goal.map.width(),
                       memory, to_string(processors(header.machine)));
  if (goal.cut && bit(memory) != header.elements)
    return fmt::format("the map has 2^{} elements a processor, the header {}", memory,
                       header.elements);
  return {};
}

// Long lists are the usual case, and nearly all of them are right: no memory for each entry.
bool names_a_place_twice(const MovesGoal& goal) {
  std::vector<std::pair<Word, Slot>> from;
  std::vector<std::pair<Word, Slot>> to;
  from.reserve(goal.moves.size());
  to.reserve(goal.moves.size());
  for (const Move& m : goal.moves) {
    from.emplace_back(m.from_processor, m.from_slot);
    to.emplace_back(m.to_processor, m.to_slot);
  }
  const auto repeated = [](auto& places) {
    std::sort(places.begin(), places.end());
    return std::adjacent_find(places.begin(), places.end()) != places.end();
  };
  return repeated(from) || repeated(to);
}

bool legal(const ScheduleHeader& header, const MovesGoal& goal, Judge& judge) {
  const auto last = static_cast<Word>(processors(header.machine) - 1);
  const std::uint64_t starts = has_registers(header.machine) ? header.slots : header.elements;
  const auto* mesh = std::get_if<Mesh>(&header.machine);
  const bool in_order = mesh != nullptr && mesh->links == Mesh::Links::one_route;
  std::set<std::pair<Word, Slot>> from;
  std::set<std::pair<Word, Slot>> to;
  const bool twice = names_a_place_twice(goal);
  bool fine = true;
  for (const Move& m : goal.moves) {
    const char* fault = nullptr;
    if (m.from_processor > last || m.to_processor > last || m.from_slot >= starts ||
        (!in_order && m.to_slot >= header.slots))
      fault = "is out of range";
    else if (in_order && m.from_slot != m.to_slot)
      fault = "is none of a machine where the elements of a processor stay in order";
    else if (twice && (!from.emplace(m.from_processor, m.from_slot).second ||
                       !to.emplace(m.to_processor, m.to_slot).second))
      fault = "names a place twice";
    if (fault == nullptr) continue;
    fine = false;
    judge.breach("goal", {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot},
                 "the goal [{}, {}, {}, {}] {}", m.from_processor, m.from_slot, m.to_processor,
                 m.to_slot, fault);
  }
  return fine;
}

}  // namespace

const Parity* beyond(const std::vector<Parity>& parities, int bits) {
  for (const Parity& c : parities)
    if ((c.mask & ~low_mask(bits)) != 0 || c.value > 1) return &c;
  return nullptr;
}

bool legal(const ScheduleHeader& header, Judge& judge) {
  if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) return legal(header, *moves, judge);
  if (const auto* map = std::get_if<MapGoal>(&header.goal)) {
    const std::string why = not_of(header, *map);
    return why.empty() || judge.refuse("goal", {}, "{}", why);
  }
  const auto* broadcast = std::get_if<BroadcastGoal>(&header.goal);
  if (broadcast == nullptr || std::holds_alternative<Mesh>(header.machine))
    return judge.refuse("goal", {}, "a goal that this machine does not have");
  return !broadcast->root || *broadcast->root < processors(header.machine) ||
         judge.refuse(has_registers(header.machine) ? "R8" : "goal",
                      {.processor = *broadcast->root}, "there is no processor {}",
                      *broadcast->root);
}

}  // namespace faro::inline v1::replay_goal
