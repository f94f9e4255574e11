// Row operations, elements in pairs.   [faro]
//   applies:  maps of processor bits with two row operations on some bit, all ports, if the linear
//             system below has a solution (it had in every case tried)
//   cost:     3(ceil(K/2) - 1) + latency, latency < 3n                       (tested n <= 9, 60)
//   bound:    machines/bounds
//
// Alone, a bit with two operations makes every element wait for 2 steps. The second element of a
// pair gets other constants in the first operations, such that at every second operation its
// constant is the opposite: then both do it in one step, in different processors. 3 steps a pair.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "planners/cube/affine/row_operations.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {
namespace {

enum class Place { only, first, second };

// How the operations of a sequence share bits.
std::vector<Place> places_of(std::span<const RowOperation> operations) {
  std::array<int, word_bits> uses{};
  for (const RowOperation& o : operations) ++uses[static_cast<std::size_t>(o.dimension)];
  std::array<int, word_bits> met{};
  std::vector<Place> places;
  for (const RowOperation& o : operations) {
    const auto d = static_cast<std::size_t>(o.dimension);
    places.push_back(uses[d] == 1 ? Place::only : met[d]++ == 0 ? Place::first : Place::second);
  }
  return places;
}

// The partner's operations: same masks, opposite constants at every second operation, same product.
// The unknowns are the changes at first operations, by dimension; what a bit then carries more than
// in the original is a sum of them.
std::optional<std::vector<RowOperation>> partner_of(std::span<const RowOperation> operations,
                                                    int width) {
  const std::vector<Place> places = places_of(operations);
  std::vector<Word> equations;
  std::array<Word, word_bits> carried{};
  const auto incoming = [&carried](Word mask) {
    Word sum = 0;
    for (; mask != 0; mask &= mask - 1) sum ^= carried[static_cast<std::size_t>(lowest_bit(mask))];
    return sum;
  };
  std::vector<Word> change;  // of each operation's constant, as a sum of unknowns
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const RowOperation& o = operations[i];
    Word& here = carried[static_cast<std::size_t>(o.dimension)];
    if (places[i] == Place::first) {
      change.push_back(bit(o.dimension));
      here ^= incoming(o.mask) ^ bit(o.dimension);
    } else {
      change.push_back(here ^ incoming(o.mask));
      here = 0;
      if (places[i] == Place::second) equations.push_back(change.back());
    }
  }
  if (equations.size() > static_cast<std::size_t>(word_bits)) return {};
  const auto unknowns =
      BitMatrix::from_rows(width, equations).solve(low_mask(static_cast<int>(equations.size())));
  if (!unknowns) return {};
  std::vector<RowOperation> partner(operations.begin(), operations.end());
  for (std::size_t i = 0; i < partner.size(); ++i)
    partner[i].constant ^= parity(change[i] & *unknowns);
  return partner;
}

struct PairPlan {
  std::vector<RowOperation> one;
  std::vector<RowOperation> other;
  std::vector<std::uint64_t> one_start;
  std::vector<std::uint64_t> other_start;
  std::uint64_t latency = 0;
};
constexpr std::uint64_t pair_rate = 3;

std::optional<PairPlan> pair_plan(const BitMap& map) {
  PairPlan plan;
  plan.one = row_operations(map);
  const std::vector<Place> places = places_of(plan.one);
  if (std::find(places.begin(), places.end(), Place::second) == places.end()) return {};
  auto other = partner_of(plan.one, map.width());
  if (!other) return {};
  plan.other = std::move(*other);
  std::array<std::array<bool, word_bits>, pair_rate> taken{};
  const auto place = [&taken](int dimension, std::uint64_t& t) {
    const auto d = static_cast<std::size_t>(dimension);
    while (taken[t % pair_rate][d]) ++t;
    taken[t % pair_rate][d] = true;
    return t++;
  };
  std::uint64_t one_next = 0;
  std::uint64_t other_next = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const int d = plan.one[i].dimension;
    if (places[i] == Place::second) {
      one_next = std::max(one_next, other_next);
      plan.one_start.push_back(place(d, one_next));
      plan.other_start.push_back(plan.one_start.back());
      other_next = one_next;
    } else {
      plan.one_start.push_back(place(d, one_next));
      plan.other_start.push_back(place(d, other_next));
    }
  }
  plan.latency = std::max(one_next, other_next);
  return plan;
}

bool moves(const RowOperation& o) {
  return o.mask != 0 || o.constant != 0;
}

std::optional<std::string> refusal_row_pairs(const Request& request) {
  if (auto why = cube_refusal(request, Hypercube::Ports::all)) return why;
  const auto split = split_map(request);
  if (!split) return "a processor bit of the map depends on a memory bit";
  if (!pair_plan(split->processors)) return "no bit needs two row operations that a pair can share";
  return {};
}

Offer offer_row_pairs(const Request& request) {
  const PairPlan plan = *pair_plan(split_map(request)->processors);
  const std::uint64_t k = request.elements();
  std::vector<Recurring> events;
  for (std::size_t i = 0; i < plan.one.size(); ++i) {
    if (moves(plan.one[i])) events.push_back({plan.one_start[i], k / 2 + k % 2});
    if (moves(plan.other[i]) && k >= 2) events.push_back({plan.other_start[i], k / 2});
  }
  const auto make = [plan, k](std::uint64_t t, CubeStep& out) {
    const auto add = [&](const std::vector<RowOperation>& operations,
                         const std::vector<std::uint64_t>& start, std::uint64_t odd) {
      for (std::size_t i = 0; i < operations.size(); ++i) {
        if (!moves(operations[i]) || t < start[i] || (t - start[i]) % pair_rate != 0) continue;
        const std::uint64_t element = 2 * ((t - start[i]) / pair_rate) + odd;
        if (element < k) out.rules.push_back(operations[i].rule(static_cast<Slot>(element)));
      }
    };
    add(plan.one, plan.one_start, 0);
    add(plan.other, plan.other_start, 1);
  };
  return offer_of(
      request, row_operation_pairs.name(),
      node_of(row_operation_pairs.name(),
              {.slots = k, .steps = pair_rate * ((k + 1) / 2 - 1) + plan.latency, .make = make},
              busy_steps(pair_rate, std::move(events))),
      fmt::format("3(ceil(K/2)-1) + {}, from {} row operations", plan.latency, plan.one.size()));
}

}  // namespace

const PlannerEntry row_operation_pairs({
    .name = "row-operation-pairs",
    .machine = "cube",
    .title = "any affine map of processor bits, two elements sharing every second row operation",
    .needs = "a map of processor bits that takes two row operations on some bit, all ports",
    .cost = "3(ceil(K/2)-1) + latency steps, latency < 3n",
    .citation = "faro",
    .refusal = refusal_row_pairs,
    .offer = offer_row_pairs,
});

}  // namespace faro::inline v1
