#include "machines/mesh/audit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "machines/claims.hpp"

namespace faro::inline v1 {
namespace {

bool names_a_place_twice(std::vector<std::pair<Word, Slot>> places) {
  std::sort(places.begin(), places.end());
  return std::adjacent_find(places.begin(), places.end()) != places.end();
}

}  // namespace

void MeshAudit::violation(const char* rule, std::string message, Violation::Place at) {
  verdict.add({steps, rule, std::move(message), std::move(at)});
}

void MeshAudit::begin(const ScheduleHeader& header) {
  header_ = header;
  // May be long, and is kept once, in `goal`; a bound is judged by it.
  if (!header.bound) header_.goal = MovesGoal{};
  geometry.emplace(std::get<Mesh>(header.machine));
  elements = header.elements;
  if (header.elements < 1) violation("machine", "0 elements per processor; at least 1 is wanted");
  if (header.slots < 1 || header.slots > 3)
    violation("machine", fmt::format("{} registers; a processor has 1 to 3", header.slots));
  read_goal(header.goal);
}

void MeshAudit::read_goal(const Goal& wanted) {
  const int bits = geometry->bits();
  if (const auto* map_goal = std::get_if<MapGoal>(&wanted)) {
    const int memory_bits = map_goal->cut ? map_goal->memory_bits : 0;
    if (memory_bits < 0 || map_goal->map.width() != bits + memory_bits) {
      violation("goal", fmt::format("the map has {} bits, the machine {} and memory {}",
                                    map_goal->map.width(), bits, memory_bits));
    } else if (map_goal->cut && elements != Count{1} << memory_bits) {
      violation("goal", fmt::format("{} elements per processor, the map's memory bits say 2^{}",
                                    to_string(elements), memory_bits));
    } else {
      goal.map = on_processors(*map_goal, bits);
      if (!goal.map) violation("goal", "the map moves memory bits; this machine cannot");
    }
    verdict.expected = (Count{1} << bits) * elements;
  } else if (const auto* moves_goal = std::get_if<MovesGoal>(&wanted)) {
    goal.moves = moves_goal->moves;
    std::vector<std::pair<Word, Slot>> from;
    std::vector<std::pair<Word, Slot>> to;
    for (const Move& m : goal.moves) {
      from.emplace_back(m.from_processor, m.from_slot);
      to.emplace_back(m.to_processor, m.to_slot);
      if (std::max(m.from_processor, m.to_processor) >= geometry->processors() ||
          m.from_slot >= elements || m.from_slot != m.to_slot)
        violation("goal",
                  fmt::format("({}, {}) to ({}, {}): no such place, or the elements of a "
                              "processor do not move alike",
                              m.from_processor, m.from_slot, m.to_processor, m.to_slot),
                  {.processor = m.from_processor, .to = m.to_processor, .slot = m.from_slot});
    }
    if (names_a_place_twice(std::move(from)) || names_a_place_twice(std::move(to)))
      violation("goal", "a place is named twice");
    verdict.expected = goal.moves.size();
  } else {
    violation("goal", "a mesh schedule has a map or moves as its goal");
  }
}

bool MeshAudit::legal(const MeshInstruction& instruction) {
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) return legal_route(*route);
  ++verdict.cost.register_ops;
  if (const auto* copy = std::get_if<MeshCopy>(&instruction))
    return legal_operation(copy->mask, copy->where, copy->to, copy->from);
  const auto& swap = std::get<MeshSwap>(instruction);
  return legal_operation(swap.mask, swap.where, swap.a, swap.b);
}

bool MeshAudit::legal_route(const MeshRoute& route) {
  if (route.dimension < 0 || route.dimension >= geometry->dimensions()) {
    violation("dimension-range",
              fmt::format("a route along dimension {}; the mesh has 0 to {}", route.dimension,
                          geometry->dimensions() - 1),
              {.dimension = route.dimension});
    return false;
  }
  const std::int64_t side = geometry->side(route.dimension);
  if (route.by == 0 || route.by >= side || route.by <= -side) {
    violation("distance-range",
              fmt::format("a route by {} along dimension {}; 0 < |by| < {} is wanted", route.by,
                          route.dimension, side),
              {.dimension = route.dimension});
    return false;
  }
  registers_used_ |= register_bit(MeshRegister::r);
  const auto units = static_cast<Count>(route.by < 0 ? -route.by : route.by);
  verdict.cost.unit_routes += units;
  ++verdict.cost.long_routes;
  return true;
}

bool MeshAudit::legal_operation(const TernaryMask& mask, const std::vector<Parity>& where,
                                MeshRegister a, MeshRegister b) {
  const Word beyond = ~low_mask(geometry->bits());
  if ((mask.care & beyond) != 0 || (mask.value & ~mask.care) != 0) {
    violation("mask-range",
              fmt::format("a mask (care {:#x}, value {:#x}) that does not fit {} bits", mask.care,
                          mask.value, geometry->bits()));
    return false;
  }
  for (const Parity& c : where) {
    if ((c.mask & beyond) == 0 && c.value <= 1) continue;
    violation("condition-range", fmt::format("the condition [{:#x}, {}] does not fit {} bits",
                                             c.mask, c.value, geometry->bits()));
    return false;
  }
  if (a == b) {
    violation("same-register", fmt::format("{} with itself", name_of(a)),
              {.slot = static_cast<Slot>(a)});
    return false;
  }
  registers_used_ |= register_bit(a) | register_bit(b);
  return true;
}

void MeshAudit::finish() {
  const auto used = static_cast<unsigned>(std::popcount(registers_used_));
  if (used > header_.slots)
    violation("registers", fmt::format("the program uses {} registers, the header allows {}", used,
                                       header_.slots));
  judge_claims(verdict, header_, steps);
  verdict.answer = verdict.violation_count == 0 ? Verdict::Answer::yes : Verdict::Answer::no;
}

}  // namespace faro::inline v1
