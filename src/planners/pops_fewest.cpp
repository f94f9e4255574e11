// Fewest slots for any permutation.   [faro]
//   applies:  a permutation, listed or given by a map; one element each
//   cost:     found by search: at least the bound, at most the best of single hop, two hops and
//             threshold. d <= g: 0, 1 or 2, optimal.
//             (tested: optimal for every permutation of POPS(3,2), (2,3), (4,2), (3,3))
//   bound:    machines/bounds/pops_bounds
#include "faro/planners/pops_fewest.hpp"

#include <algorithm>

#include "faro/machines/bounds/pops_bounds.hpp"
#include "faro/planners/pops_loads.hpp"
#include "faro/planners/pops_permutation.hpp"
#include "faro/planners/pops_placement.hpp"

namespace faro::pops {
namespace {

// Starts of the search for one number of slots, and the work after which it stops altogether.
constexpr std::uint64_t starts = 9;
constexpr std::uint64_t work_max = 300'000'000;

std::vector<Packet> at_most(const Pops& machine, const std::vector<Word>& to) {
  std::vector<Packet> best = single_hop(machine, to);
  const Count straight = slots_of(best);
  if (machine.group_size < machine.groups) {
    if (straight <= 2) return best;
    return fair_two_hops(machine, to);
  }
  const Threshold threshold = best_threshold(machine, to);
  if (threshold.slots < straight) return threshold_hops(machine, to, threshold.straight);
  return best;
}

}  // namespace

Count slots_of(const std::vector<Packet>& packets) {
  std::vector<bool> used;
  const auto use = [&used](std::uint32_t slot) {
    if (slot >= used.size()) used.resize(slot + std::size_t{1}, false);
    used[slot] = true;
  };
  for (const Packet& p : packets) {
    use(p.first);
    if (p.relay != no_relay) use(p.second);
  }
  return static_cast<Count>(std::count(used.begin(), used.end(), true));
}

std::vector<Packet> fewest_slots(const Pops& machine, const std::vector<Word>& to) {
  std::vector<Packet> best = at_most(machine, to);
  const Count most = slots_of(best);
  if (machine.group_size <= machine.groups || most <= 2) return best;
  const PopsDemand demand = pops_demand(machine, to);
  const auto least = static_cast<std::uint32_t>(pops_bound(demand).value);
  const std::uint64_t start_work = search_work(machine.groups);
  std::uint64_t work = 0;
  for (std::uint32_t k = std::max(2U, least); k < most; ++k)
    for (std::uint64_t seed = 0; seed < starts && work < work_max; ++seed) {
      const auto routes = find_routes(demand, k, seed);
      // Networks of many groups get one start for each number of slots: more slots are easier.
      if (!routes) work += start_work;
      if (!routes && start_work * starts > work_max) break;
      if (!routes) continue;
      if (auto packets = place(machine, to, *routes, k, seed)) return *packets;
    }
  return best;
}

namespace {

Estimate estimate_fewest(const Request& request) {
  const auto packets = fewest_slots(std::get<Pops>(request.machine), destinations(request));
  return {{slots_of(packets), "found by search"}, std::nullopt};
}

void build_fewest(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-fewest-slots",
                   fewest_slots(std::get<Pops>(request.machine), destinations(request)), sink);
}

}  // namespace
}  // namespace faro::pops

namespace faro {

const Planner pops_fewest_slots = {
    "pops-fewest-slots",
    "pops",
    "a search from the lower bound up: some data straight, some over relays",
    "any permutation of the processors, listed",
    "at most the best of single hop, two hops and threshold; often the bound",
    "faro",
    pops::no_permutation,
    pops::estimate_fewest,
    pops::build_fewest,
};

}  // namespace faro
