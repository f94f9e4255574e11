#include "machines/mesh/audit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "machines/proof_reading.hpp"

namespace faro::inline v1 {

void MeshAudit::read(const ScheduleHeader& header) {
  header_ = header;
  // May be long, and is kept once, in `goal`; a bound is judged by it.
  if (!header.bound) header_.goal = MovesGoal{};
  geometry.emplace(std::get<Mesh>(header.machine));
  elements = header.elements;
  if (header.elements < 1) breach("machine", "0 elements per processor; at least 1 is wanted");
  if (header.slots < 1 || header.slots > 3)
    breach("machine", fmt::format("{} registers; a processor has 1 to 3", header.slots));
  const Count before = verdict_.violation_count;
  check_goal(header, breached_);
  const bool fits = verdict_.violation_count == before;
  if (const auto* map = std::get_if<MapGoal>(&header.goal)) {
    verdict_.expected = (Count{1} << geometry->bits()) * elements;
    if (fits) goal.map = on_processors(*map, geometry->bits());
    if (fits && !goal.map) breach("goal", "the map moves memory bits; this machine cannot");
  } else if (const auto* moves = std::get_if<MovesGoal>(&header.goal)) {
    goal.moves = moves->moves;
    verdict_.expected = goal.moves.size();
    if (std::any_of(goal.moves.begin(), goal.moves.end(),
                    [](const Move& m) { return m.from_slot != m.to_slot; }))
      breach("goal", "the elements of a processor do not move alike");
  }
}

bool MeshAudit::legal(const MeshInstruction& instruction) {
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) return legal_route(*route);
  ++verdict_.cost.register_ops;
  if (const auto* copy = std::get_if<MeshCopy>(&instruction))
    return legal_operation(copy->mask, copy->where, copy->to, copy->from);
  const auto& swap = std::get<MeshSwap>(instruction);
  return legal_operation(swap.mask, swap.where, swap.a, swap.b);
}

bool MeshAudit::legal_route(const MeshRoute& route) {
  if (route.dimension < 0 || route.dimension >= geometry->dimensions()) {
    breach("dimension-range",
           fmt::format("a route along dimension {}; the mesh has 0 to {}", route.dimension,
                       geometry->dimensions() - 1),
           {.dimension = route.dimension});
    return false;
  }
  const std::int64_t side = geometry->side(route.dimension);
  if (route.by == 0 || route.by >= side || route.by <= -side) {
    breach("distance-range",
           fmt::format("a route by {} along dimension {}; 0 < |by| < {} is wanted", route.by,
                       route.dimension, side),
           {.dimension = route.dimension});
    return false;
  }
  registers_used_ |= register_bit(MeshRegister::r);
  const auto units = static_cast<Count>(route.by < 0 ? -route.by : route.by);
  verdict_.cost.unit_routes += units;
  ++verdict_.cost.long_routes;
  return true;
}

bool MeshAudit::legal_operation(const TernaryMask& mask, const std::vector<Parity>& where,
                                MeshRegister a, MeshRegister b) {
  const Word beyond = ~low_mask(geometry->bits());
  if ((mask.care & beyond) != 0 || (mask.value & ~mask.care) != 0) {
    breach("mask-range", fmt::format("a mask (care {:#x}, value {:#x}) that does not fit {} bits",
                                     mask.care, mask.value, geometry->bits()));
    return false;
  }
  if (const Parity* c = misfit(where, geometry->bits())) {
    breach("condition-range", fmt::format("the condition [{:#x}, {}] does not fit {} bits", c->mask,
                                          c->value, geometry->bits()));
    return false;
  }
  if (a == b) {
    breach("same-register", fmt::format("{} with itself", name_of(a)),
           {.slot = static_cast<Slot>(a)});
    return false;
  }
  registers_used_ |= register_bit(a) | register_bit(b);
  return true;
}

void MeshAudit::close() {
  const auto used = static_cast<unsigned>(std::popcount(registers_used_));
  if (used > header_.slots)
    breach("registers",
           fmt::format("the program uses {} registers, the header allows {}", used, header_.slots));
  judge_claims(verdict_, header_, step_);
}

}  // namespace faro::inline v1
