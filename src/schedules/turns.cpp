#include "schedules/turns.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "faro/schedules/cost.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {
namespace {

std::string fault_of(const ScheduleHeader& header) {
  const Repeat& repeat = header.repeat;
  if (repeat.times == 0) return "no turn is taken; at least one is wanted";
  if (is_simd_mesh(header.machine))
    return "the program of a mesh with one route at a time is performed for every element anyway";
  const auto* goal = std::get_if<MapGoal>(&header.goal);
  if (goal == nullptr) return "only the elements of a map take turns";
  if (header.elements % repeat.times != 0)
    return fmt::format("{} elements do not fall into {} turns", header.elements, repeat.times);
  const bool changes = repeat.before.width() != 0 || repeat.after.width() != 0;
  if (changes && !goal->cut)
    return "elements that move alike do not change places; the map has no memory bits";
  if (changes && kind_of(header.machine).sends_inside_cost)
    return "changes of places inside a processor are not free on this machine";
  if (!goal->cut) return {};
  const int m = goal->memory_bits;
  if (m >= word_bits || header.elements != bit(m) || !is_power_of_two(repeat.times))
    return "a map with m memory bits takes a power of two of turns for its 2^m elements";
  for (const BitMap* map : {&repeat.before, &repeat.after}) {
    if (map->width() == 0) continue;
    if (map->width() != goal->map.width())
      return fmt::format("a change of places of {} bits for a map of {}", map->width(),
                         goal->map.width());
    for (int b = m; b < map->width(); ++b)
      if (map->matrix().row(b) != bit(b) || has_bit(map->complement(), b))
        return "a change of places leads from one processor into another";
  }
  return {};
}

// The goal between the changes of places.
BitMap inner_map(const MapGoal& goal, const Repeat& repeat) {
  BitMap map = goal.map;
  if (repeat.before.width() != 0) map = then(repeat.before.inverse(), map);
  if (repeat.after.width() != 0) map = then(map, repeat.after.inverse());
  return map;
}

}  // namespace

std::variant<ScheduleHeader, std::string> one_turn(const ScheduleHeader& header) {
  if (std::string fault = fault_of(header); !fault.empty()) return fault;
  ScheduleHeader turn = header;
  turn.elements = header.elements / header.repeat.times;
  turn.map_text.clear();
  turn.cost.reset();
  turn.bound.reset();
  turn.repeat = {};
  auto& goal = std::get<MapGoal>(turn.goal);
  if (!goal.cut) return turn;
  const BitMap map = inner_map(goal, header.repeat);
  const int r = log2_exact(header.repeat.times);
  const int low = goal.memory_bits - r;  // slot bits of a turn
  const Word turns = low_mask(r) << low;
  const auto without = [&](Word row) {
    return (row & low_mask(low)) | (low + r >= word_bits ? 0 : row >> (low + r) << low);
  };
  std::vector<Word> rows;
  Word complement = 0;
  for (int b = 0; b < map.width(); ++b) {
    const Word row = map.matrix().row(b);
    if (has_bit(turns, b)) {
      if (row != bit(b) || has_bit(map.complement(), b))
        return fmt::format("an element does not keep its turn: bit {} of it", b - low);
      continue;
    }
    if ((row & turns) != 0) return "what becomes of an element depends on its turn";
    if (has_bit(map.complement(), b)) complement |= bit(static_cast<int>(rows.size()));
    rows.push_back(without(row));
  }
  goal.map = BitMap::from_matrix(BitMatrix::from_rows(map.width() - r, rows), complement);
  goal.memory_bits = low;
  return turn;
}

Cost times_over(const Cost& cost, std::uint64_t times) {
  Cost all = cost;
  for (const CostPart& part : cost_part::all) all.*part.count *= times;
  return all;
}

void refuse_turns(const ScheduleHeader& header, std::string_view what) {
  if (!takes_turns(header)) return;
  throw Error(ErrorCode::impossible,
              fmt::format("this schedule is performed {} times over, in turns of {} elements a "
                          "processor; {} follows one performance: take fewer elements",
                          header.repeat.times, header.elements / header.repeat.times, what));
}

}  // namespace faro::inline v1
