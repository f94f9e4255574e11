#include "faro/planners/cube/butterfly/planner.hpp"

#include <fmt/format.h>

#include <array>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "planners/cube/butterfly/inter_processor.hpp"
#include "planners/cube/butterfly/list_scheduler.hpp"
#include "planners/cube/butterfly/local_conversion.hpp"
#include "planners/cube/butterfly/replication.hpp"
#include "planners/cube/butterfly/sectioning.hpp"
#include "planners/cube/butterfly/table_planner.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::array<const ButterflyPlanner*, 7> table = {
    &local_memory_first, &local_processor_first, &inter_processor_conversion,
    &sectioning,         &replication,           &table_planner,
    &list_scheduler,
};

// Slot numbers have 32 bits, and a plan has a few rules for each slot and stage.
constexpr int memory_bits_max = 24;

}  // namespace

std::span<const ButterflyPlanner* const> butterfly_planners() {
  return table;
}

const ButterflyPlanner* find_butterfly_planner(std::string_view name) {
  for (const ButterflyPlanner* planner : table) {
    if (planner->name == name) return planner;
  }
  return nullptr;
}

void check_request(const ButterflyNetwork& request) {
  const int n = request.processor_bits;
  const int p = request.index_bits;
  if (p < 0 || p > limits::address_bits_max || n < 0) {
    throw Error(ErrorCode::limit, fmt::format("a butterfly network has 0 to {} index bits, not {}",
                                              limits::address_bits_max, p));
  }
  if (n > p) {
    throw Error(ErrorCode::usage,
                fmt::format("2^{} elements do not fill 2^{} processors; at least {} index bits are "
                            "needed, or a smaller cube",
                            p, n, n));
  }
  if (request.memory_bits() > memory_bits_max) {
    throw Error(ErrorCode::limit,
                fmt::format("2^{} elements a processor; a plan has rules for each of them, at most "
                            "2^{}: take a larger cube",
                            request.memory_bits(), memory_bits_max));
  }
}

const ButterflyPlanner& cheapest_butterfly_planner(const ButterflyNetwork& request, Effort effort,
                                                   Count bound) {
  check_request(request);
  const ButterflyPlanner* best = nullptr;
  Count best_cost = 0;
  std::string refusals;
  const auto consider = [&](ButterflyPlanner::Kind kind) {
    for (const ButterflyPlanner* planner : table) {
      if (planner->kind != kind) continue;
      if (const auto why = planner->refusal(request)) {
        refusals += fmt::format("\n  {}: {}", planner->name, *why);
        continue;
      }
      const Count cost = planner->estimate(request).cost.value;
      if (best == nullptr || cost < best_cost) {
        best = planner;
        best_cost = cost;
      }
    }
  };
  consider(ButterflyPlanner::Kind::closed);
  if (best == nullptr || (effort == Effort::search && best_cost > bound)) {
    consider(ButterflyPlanner::Kind::search);
  }
  if (best == nullptr) {
    throw Error(ErrorCode::impossible, "no planner applies:" + refusals);
  }
  return *best;
}

}  // namespace faro::inline v1
