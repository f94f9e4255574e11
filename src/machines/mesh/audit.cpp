#include "machines/mesh/audit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "machines/claims.hpp"
#include "machines/proof_reading.hpp"

namespace faro::inline v1 {
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
  bool fits = true;
  check_goal(header, [&](const char* rule, std::string message, Violation::Place at) {
    violation(rule, std::move(message), std::move(at));
    fits = false;
  });
  if (const auto* map = std::get_if<MapGoal>(&header.goal)) {
    verdict.expected = (Count{1} << geometry->bits()) * elements;
    if (fits) goal.map = on_processors(*map, geometry->bits());
    if (fits && !goal.map) violation("goal", "the map moves memory bits; this machine cannot");
  } else if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) {
    goal.moves = moves->moves;
    verdict.expected = goal.moves.size();
    if (std::any_of(goal.moves.begin(), goal.moves.end(),
                    [](const Move& m) { return m.from_slot != m.to_slot; }))
      violation("goal", "the elements of a processor do not move alike");
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
  if (const Parity* c = misfit(where, geometry->bits())) {
    violation("condition-range", fmt::format("the condition [{:#x}, {}] does not fit {} bits",
                                             c->mask, c->value, geometry->bits()));
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
