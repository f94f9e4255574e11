#include "faro/service/plan_counter.hpp"

#include <algorithm>
#include <map>

namespace faro {

void PlanCounter::begin(const ScheduleHeader& header) {
  slots_ = header.slots;
  if (const auto* cube = std::get_if<Hypercube>(&header.machine)) {
    dimensions_ = cube->dimensions;
    crossings_.assign(static_cast<std::size_t>(dimensions_), 0);
  } else if (const auto* mesh = std::get_if<Mesh>(&header.machine)) {
    for (const int side : mesh->sides_log2) dimensions_ += side;
  }
}

void PlanCounter::step(const CubeStep& step) {
  Count moved = 0;
  const auto cross = [&](int dimension, Count moves) {
    moved = add_checked(moved, moves);
    const auto d = static_cast<std::size_t>(dimension);
    if (d < crossings_.size()) crossings_[d] = add_checked(crossings_[d], moves);
  };
  for (const Rule& rule : step.rules) {
    if (rule.across == inside) continue;
    const AffineSpace where = AffineSpace::where(dimensions_, rule.where);
    if (!where.empty()) cross(rule.across, Count{1} << where.dimension());
  }
  for (const Move& move : step.moves)
    if (move.from_processor != move.to_processor)
      cross(highest_bit(move.from_processor ^ move.to_processor), 1);
  cost_.remote_moves = add_checked(cost_.remote_moves, moved);
  if (moved != 0) cost_.steps += 1;
}

void PlanCounter::step(const MeshInstruction& instruction) {
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
    const auto by = static_cast<std::uint64_t>(route->by);
    cost_.unit_routes = add_checked(cost_.unit_routes, route->by < 0 ? 0 - by : by);
    cost_.long_routes += 1;
  } else {
    cost_.register_ops += 1;
  }
}

void PlanCounter::step(const PopsSlot& slot) {
  if (!slot.sends.empty() || !slot.rules.empty()) cost_.slots += 1;
  std::map<Word, Count> work;
  Count busiest = 0;
  for (const PopsOperation& operation : slot.operations)
    busiest = std::max(busiest, ++work[operation.processor]);
  cost_.compute_rounds += busiest;
}

}  // namespace faro
