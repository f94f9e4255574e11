#include "faro/schedules/cost.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "schedules/machine_kind.hpp"
#include "schedules/turns.hpp"

namespace faro::inline v1 {
namespace {

// How many processors a rule sends what they hold themselves.
Count staying(int width, const PopsRule& rule) {
  if (rule.to.size() != static_cast<std::size_t>(width)) return 0;
  std::vector<Parity> where = rule.where;
  for (int own = 0; own < width; ++own) {
    const Parity& row = rule.to[static_cast<std::size_t>(width - 1 - own)];
    where.push_back({row.mask ^ bit(own), row.value});
  }
  return size_of(width, where);
}

}  // namespace

Count size_of(int width, const std::vector<Parity>& where) {
  const AffineSpace space = AffineSpace::where(width, where);
  return space.empty() ? Count{0} : Count{1} << space.dimension();
}

bool is_simd_mesh(const Machine& machine) {
  return kind_of(machine).steps == MachineKind::Steps::program;
}

Cost performed(const Cost& listed, const Machine& machine, std::uint64_t elements) {
  if (!is_simd_mesh(machine)) return listed;
  Cost cost = listed;
  for (const CostPart& part : kind_of(machine).cost) cost.*part.count *= elements;
  return cost;
}

void CostCounter::begin(const ScheduleHeader& header) {
  cost_ = {};
  width_ = address_bits(header.machine).value_or(0);
  kind_ = &kind_of(header.machine);
  times_ = header.repeat.times;
}

void CostCounter::finish() {
  if (times_ != 1) cost_ = times_over(cost_, times_);
}

void CostCounter::step(const CubeStep& step) {
  Count remote = 0;
  for (const Rule& rule : step.rules)
    if (rule.across != inside) remote += size_of(width_, rule.where);
  for (const Move& move : step.moves)
    if (move.from_processor != move.to_processor) ++remote;
  cost_.remote_moves += remote;
  if (remote != 0) ++cost_.steps;
}

void CostCounter::step(const MeshInstruction& instruction) {
  if (const auto* route = std::get_if<MeshRoute>(&instruction)) {
    // Negating as an unsigned number is defined for the smallest one too.
    const auto by = static_cast<std::uint64_t>(route->by);
    cost_.unit_routes += Count{route->by < 0 ? 0 - by : by};
    ++cost_.long_routes;
  } else {
    ++cost_.register_ops;
  }
}

void CostCounter::step(const PopsSlot& slot) {
  const bool all = kind_->sends_inside_cost;
  const bool sends =
      std::any_of(slot.sends.begin(), slot.sends.end(),
                  [&](const PopsSend& send) {
                    return std::any_of(
                        send.to_groups.begin(), send.to_groups.end(),
                        [&](std::uint64_t to) { return all || to != send.processor; });
                  }) ||
      std::any_of(slot.rules.begin(), slot.rules.end(), [&](const PopsRule& rule) {
        return size_of(width_, rule.where) > (all ? Count{0} : staying(width_, rule));
      });
  if (sends) ++(cost_.*kind_->cost.front().count);
  std::map<Word, Count> work;
  Count busiest = 0;
  for (const PopsOperation& operation : slot.operations) {
    if (operation.kind == PopsOperation::Kind::copy || operation.kind == PopsOperation::Kind::zero)
      continue;
    busiest = std::max(busiest, ++work[operation.processor]);
  }
  cost_.compute_rounds += busiest;
}

// Conditions and links are the same in every lap, and nothing else costs.
template <class Step>
void CostCounter::count(const Loop<Step>& loop) {
  Cost all;
  std::swap(all, cost_);
  for (const auto& entry : loop.body) step(entry.first);
  const Cost laps = times_over(cost_, loop.laps);
  for (const CostPart& part : cost_part::all) all.*part.count += laps.*part.count;
  cost_ = all;
}

void CostCounter::loop(const CubeLoop& loop) {
  count(loop);
}
void CostCounter::loop(const PopsLoop& loop) {
  count(loop);
}

}  // namespace faro::inline v1
