// Fewest slots for any permutation.   [faro]
//   applies:  a permutation, listed or given by a map; one element each
//   cost:     found by search: at least the bound, at most the best of single hop and two hops.
//             d <= g: 0, 1 or 2, optimal.
//             (tested: optimal for every permutation of POPS(3,2), (2,3), (4,2), (3,3))
//   bound:    machines/bounds/pops_bounds
#include "planners/pops/fewest.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "faro/base/error.hpp"
#include "machines/pops/bounds.hpp"
#include "planners/pops/loads.hpp"
#include "planners/pops/permutation.hpp"
#include "planners/pops/placement.hpp"

namespace faro::inline v1::pops {
namespace {

// Starts of the search for a number of slots, and the work after which it stops altogether.
constexpr std::uint64_t slots_starts_max = 9;
constexpr std::uint64_t slots_work_max = 1'600'000'000;

std::vector<Packet> at_most(const Pops& machine, const std::vector<Word>& to) {
  std::vector<Packet> best = single_hop(machine, to);
  if (slots_of(best) <= 2) return best;
  std::vector<Packet> over = two_hops(machine, to);
  return slots_of(over) < slots_of(best) ? over : best;
}

// Searches for plans within a number of slots, and the work that they have taken.
class Attempts {
 public:
  Attempts(const Pops& machine, const std::vector<Word>& to, const PopsDemand& demand)
      : machine_(machine), to_(to), demand_(demand) {}

  bool may_go_on() const { return work_ < slots_work_max; }

  std::optional<std::vector<Packet>> within(std::uint32_t k, std::uint64_t first,
                                            std::uint64_t starts) {
    for (std::uint64_t seed = first; seed < first + starts && may_go_on(); ++seed)
      if (const auto routes = find_routes(demand_, k, seed, work_))
        if (auto packets = place(machine_, to_, *routes, k, seed)) return packets;
    return std::nullopt;
  }

 private:
  const Pops& machine_;
  const std::vector<Word>& to_;
  const PopsDemand& demand_;
  std::uint64_t work_ = 0;
};

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
  const auto bound = std::max(2U, static_cast<std::uint32_t>(pops_bound(demand).value));
  if (const auto why = too_large(machine, bound)) throw Error(ErrorCode::limit, *why);
  Attempts attempts(machine, to, demand);
  auto low = bound;
  auto high = static_cast<std::uint32_t>(most);
  const auto take = [&](std::vector<Packet>& packets, std::uint32_t k) {
    best = std::move(packets);
    high = k;
  };
  // Up from the bound in strides that double, then back, one start each.
  std::uint32_t stride = 1;
  while (low < high && attempts.may_go_on()) {
    const std::uint32_t k = std::min(low + stride - 1, high - 1);
    if (auto packets = attempts.within(k, 0, 1)) {
      take(*packets, k);
      stride = std::max(1U, (high - low) / 2);
    } else {
      low = k + 1;
      stride *= 2;
    }
  }
  // More starts for one slot less than the best, again and again.
  while (high > bound && attempts.may_go_on()) {
    auto packets = attempts.within(high - 1, 1, slots_starts_max - 1);
    if (!packets) break;
    take(*packets, high - 1);
  }
  return best;
}

namespace {

Offer fewest_offer(const Request& request) {
  const auto packets = std::make_shared<const std::vector<Packet>>(
      fewest_slots(std::get<Pops>(request.machine()), destinations(request)));
  return {.estimate = {{slots_of(*packets), "found by search"}},
          .push = [request, packets](ScheduleSink& sink) {
            emit_permutation(request, pops_fewest_slots.name(), *packets, sink);
          }};
}

}  // namespace
}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_fewest_slots({
    .name = "pops-fewest-slots",
    .machine = "pops",
    .title = "a search from the lower bound up: some data straight, some over relays",
    .needs = "any permutation of the processors, listed",
    .cost = "at most the better of single hop and two hops; often the bound",
    .refusal = pops::no_permutation,
    .offer = pops::fewest_offer,
    .searches = true,
});

}  // namespace faro::inline v1
