#include "faro/schedules/cost.hpp"

#include <algorithm>
#include <map>

namespace faro {

Count size_of(int width, const std::vector<Parity>& where) {
  const AffineSpace space = AffineSpace::where(width, where);
  return space.empty() ? Count{0} : Count{1} << space.dimension();
}

bool is_simd_mesh(const Machine& machine) {
  const auto* mesh = std::get_if<Mesh>(&machine);
  return mesh != nullptr && mesh->links == Mesh::Links::one_route;
}

Cost performed(const Cost& listed, const Machine& machine, std::uint64_t elements) {
  if (!is_simd_mesh(machine)) return listed;
  Cost cost = listed;
  for (Count* part : {&cost.unit_routes, &cost.long_routes, &cost.register_ops})
    *part = multiply_checked(*part, elements);
  return cost;
}

void CostCounter::begin(const ScheduleHeader& header) {
  cost_ = {};
  width_ = address_bits(header.machine).value_or(0);
}

void CostCounter::step(const CubeStep& step) {
  Count remote = 0;
  for (const Rule& rule : step.rules)
    if (rule.across != inside) remote = add_checked(remote, size_of(width_, rule.where));
  for (const Move& move : step.moves)
    if (move.from_processor != move.to_processor) remote = add_checked(remote, 1);
  cost_.remote_moves = add_checked(cost_.remote_moves, remote);
  if (remote != 0) cost_.steps = add_checked(cost_.steps, 1);
}

void CostCounter::step(const MeshInstruction& instruction) {
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
    // Negating as an unsigned number is defined for the smallest one too.
    const auto by = static_cast<std::uint64_t>(route->by);
    cost_.unit_routes = add_checked(cost_.unit_routes, Count{route->by < 0 ? 0 - by : by});
    cost_.long_routes = add_checked(cost_.long_routes, 1);
  } else {
    cost_.register_ops = add_checked(cost_.register_ops, 1);
  }
}

void CostCounter::step(const PopsSlot& slot) {
  const bool sends = std::any_of(slot.sends.begin(), slot.sends.end(),
                                 [](const PopsSend& send) { return !send.to_groups.empty(); }) ||
                     std::any_of(slot.rules.begin(), slot.rules.end(), [&](const PopsRule& rule) {
                       return size_of(width_, rule.where) != 0;
                     });
  if (sends) cost_.slots = add_checked(cost_.slots, 1);
  std::map<Word, Count> work;
  Count busiest = 0;
  for (const PopsOperation& operation : slot.operations) {
    if (operation.kind == PopsOperation::Kind::copy || operation.kind == PopsOperation::Kind::zero)
      continue;
    busiest = std::max(busiest, ++work[operation.processor]);
  }
  cost_.compute_rounds = add_checked(cost_.compute_rounds, busiest);
}

}  // namespace faro
