// The closed bounds on a demand between groups; see the header for what each says.
#include "machines/pops/bounds.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "base/random.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {
namespace {

using Demand = PopsDemand;
using Order = std::vector<std::size_t>;

constexpr std::size_t cut_groups_max = 12;        // all subsets
constexpr std::size_t all_orders_groups_max = 6;  // all orders

// Couplers that k slots leave idle in the first slot or in the last, counted once for each. A pair
// is heavy if it has more than k data: its data pay two couplers, on its own coupler twice. What is
// sent from i to j, not heavy, in the first slot gets no nearer if i has heavy pairs only, each to
// a group that j has a heavy pair to as well. Likewise in the last slot, of what comes to j.
std::int64_t idle_couplers(const Demand& d, std::int64_t k) {
  const std::size_t g = d.groups();
  const std::size_t words = (g + 63) / 64;
  using Sets = std::vector<std::uint64_t>;  // of groups, for each group
  const auto idle = [&](auto&& data) {
    Sets heavy(g * words, 0);
    std::vector<bool> heavy_only(g, true);
    for (std::size_t i = 0; i < g; ++i)
      for (std::size_t b = 0; b < g; ++b) {
        if (data(i, b) > k)
          heavy[i * words + b / 64] |= std::uint64_t{1} << (b % 64);
        else if (data(i, b) > 0 && i != b)
          heavy_only[i] = false;
      }
    std::int64_t count = 0;
    for (std::size_t i = 0; i < g; ++i)
      for (std::size_t j = 0; heavy_only[i] && j < g; ++j) {
        bool useless = i != j && data(i, j) == 0;
        for (std::size_t w = 0; useless && w < words; ++w)
          useless = (heavy[i * words + w] & ~heavy[j * words + w]) == 0;
        count += useless;
      }
    return count;
  };
  return idle([&](std::size_t i, std::size_t j) { return d(i, j); }) +
         idle([&](std::size_t i, std::size_t j) { return d(j, i); });
}

// Hops over couplers between groups that k slots lack; negative if some are left.
std::int64_t lacking_hops(const Demand& d, std::int64_t k) {
  const auto g = static_cast<std::int64_t>(d.groups());
  std::int64_t hops = 0;
  for (std::size_t i = 0; i < d.groups(); ++i)
    for (std::size_t j = 0; j < d.groups(); ++j)
      hops +=
          i == j ? 2 * std::max<std::int64_t>(0, d(i, i) - k) : 2 * d(i, j) - std::min(d(i, j), k);
  return hops - k * (g * g - g);
}

bool hops_refute(const Demand& d, std::int64_t k) {
  const std::int64_t lacking = lacking_hops(d, k);
  return lacking > 0 || (k >= 2 && lacking + idle_couplers(d, k) > 0);
}

// The fewest slots from `k` on that are not refuted, by what refutes fewer slots too.
template <class Refuted>
std::int64_t least_not_refuted(std::int64_t k, Refuted&& refuted) {
  if (!refuted(k)) return k;
  return k + static_cast<std::int64_t>(least_possible(
                 [&](Count more) { return !refuted(k + static_cast<std::int64_t>(more)); }));
}

// A group that k slots are too few for, and which way.
std::optional<certificate::Group> group_refuting(const Demand& d, std::int64_t k) {
  const auto g = static_cast<std::int64_t>(d.groups());
  for (std::size_t i = 0; i < d.groups(); ++i) {
    std::int64_t out = std::max<std::int64_t>(0, d(i, i) - k);
    std::int64_t in = out;
    std::int64_t to = 0;
    std::int64_t from = 0;
    for (std::size_t j = 0; j < d.groups(); ++j) {
      if (i == j) continue;
      out += d(i, j);
      in += d(j, i);
      to += d(i, j) > 0;
      from += d(j, i) > 0;
    }
    if (out > (k - 1) * (g - 1) + to) return certificate::Group{i, certificate::Way::out};
    if (in > (k - 1) * (g - 1) + from) return certificate::Group{i, certificate::Way::in};
  }
  return {};
}

// A set of groups, a bit each, and what it proves.
struct GroupCut {
  std::int64_t value = 0;
  std::uint32_t set = 0;
};

GroupCut cut_bound(const Demand& d) {
  const std::size_t g = d.groups();
  GroupCut best;
  for (std::uint32_t s = 1; s + 1 < (std::uint32_t{1} << g); ++s) {
    const std::int64_t size = std::popcount(s);
    std::int64_t leaves = 0;
    for (std::size_t i = 0; i < g; ++i)
      for (std::size_t j = 0; j < g; ++j)
        if (((s >> i) & 1U) != 0 && ((s >> j) & 1U) == 0) leaves += d(i, j);
    const std::int64_t couplers = size * (static_cast<std::int64_t>(g) - size);
    const std::int64_t value = (leaves + couplers - 1) / couplers;
    if (value > best.value) best = {value, s};
  }
  return best;
}

// Groups R with one support T of destinations; X: groups outside both.
// Weights: couplers from R to T, those of groups of X outward or inward, whatever carries more, and
// those of groups to themselves whose data exceed k.
std::optional<certificate::Weights> block_refuting(const Demand& d, std::int64_t k) {
  const std::size_t g = d.groups();
  std::map<std::vector<bool>, std::vector<std::size_t>> by_support;
  std::vector<std::int64_t> crossing(g, 0);  // the larger of what leaves and what enters
  std::vector<bool> outward(g);
  for (std::size_t i = 0; i < g; ++i) {
    std::vector<bool> support(g);
    std::int64_t out = 0;
    std::int64_t in = 0;
    for (std::size_t j = 0; j < g; ++j) {
      support[j] = d(i, j) > 0;
      if (i != j) out += d(i, j), in += d(j, i);
    }
    crossing[i] = std::max(out, in);
    outward[i] = out >= in;
    by_support[support].push_back(i);
  }
  if (by_support.size() < 2) return {};
  for (const auto& entry : by_support) {  // clang 14: bindings are not captured
    const std::vector<bool>& support = entry.first;
    const Order& block = entry.second;
    std::vector<bool> in_block(g, false);
    for (const std::size_t i : block) in_block[i] = true;
    const auto outside = [&](std::size_t x) { return !in_block[x] && !support[x]; };
    const auto own = [&](std::size_t x) {
      return d(x, x) > k && (outside(x) || (in_block[x] && support[x]));
    };
    std::int64_t value = 0;
    for (std::size_t x = 0; x < g; ++x) {
      if (outside(x)) value += crossing[x] - k * (static_cast<std::int64_t>(g) - 1);
      if (own(x)) value += d(x, x) - k;
    }
    for (const std::size_t i : block)
      for (std::size_t j = 0; j < g; ++j)
        if (support[j] && i != j) value += d(i, j) - k;
    if (value <= 0) continue;
    certificate::Weights all;  // g² links: of the block that refutes alone
    for (std::size_t x = 0; x < g; ++x) {
      for (std::size_t y = 0; outside(x) && y < g; ++y)
        if (x != y) all.links.push_back({outward[x] ? x : y, outward[x] ? y : x, 1});
      if (own(x)) all.links.push_back({x, x, 1});
    }
    for (const std::size_t i : block)
      for (std::size_t j = 0; j < g; ++j)
        if (support[j] && i != j) all.links.push_back({i, j, 1});
    return all;
  }
  return {};
}

// The best way to cut an order into levels, and its value: positive refutes k.
struct Levels {
  std::int64_t value = 0;
  std::vector<std::size_t> level;  // of each group
};

Levels best_levels(const Demand& d, std::int64_t k, const Order& order) {
  const std::size_t g = d.groups();
  std::int64_t all = 0;
  for (std::size_t a = 0; a < g; ++a)
    for (std::size_t b = a + 1; b < g; ++b) all += d(order[a], order[b]) - k;
  // f[b]: best for the first b groups of the order, losing what lies inside a level.
  std::vector<std::int64_t> f(g + 1, 0);
  std::vector<std::size_t> start(g + 1, 0);
  std::vector<std::int64_t> inside(g, 0);
  for (std::size_t b = 0; b < g; ++b) {
    std::int64_t column = 0;
    bool first = true;
    for (std::size_t a = b + 1; a-- > 0;) {
      if (a < b) column += d(order[a], order[b]) - k;
      inside[a] += column;
      const std::int64_t alone = a == b ? std::max<std::int64_t>(0, d(order[a], order[a]) - k) : 0;
      const std::int64_t value = f[a] - inside[a] + alone;
      if (first || value > f[b + 1]) {
        f[b + 1] = value;
        start[b + 1] = a;
      }
      first = false;
    }
  }
  Levels levels{all + f[g], std::vector<std::size_t>(g, 0)};
  for (std::size_t b = g; b > 0; b = start[b])
    for (std::size_t a = start[b]; a < b; ++a) levels.level[order[a]] = start[b];
  return levels;
}

// Moves one group at a time to its best place, as long as more demand comes to lie upward.
void improve(const Demand& d, Order& order) {
  const std::size_t g = order.size();
  bool changed = true;
  for (int pass = 0; pass < 50 && changed; ++pass) {
    changed = false;
    for (std::size_t a = 0; a < g; ++a) {
      std::int64_t best = 0;
      std::size_t place = a;
      std::int64_t gain = 0;
      for (std::size_t b = a + 1; b < g; ++b) {
        gain += d(order[b], order[a]) - d(order[a], order[b]);
        if (gain > best) best = gain, place = b;
      }
      gain = 0;
      for (std::size_t b = a; b-- > 0;) {
        gain += d(order[a], order[b]) - d(order[b], order[a]);
        if (gain > best) best = gain, place = b;
      }
      if (place == a) continue;
      const std::size_t group = order[a];
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(a));
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), group);
      changed = true;
    }
  }
}

std::vector<Order> level_orders(const Demand& d) {
  const std::size_t g = d.groups();
  Order order(g);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Order> orders;
  if (g <= all_orders_groups_max) {
    do orders.push_back(order);
    while (std::next_permutation(order.begin(), order.end()));
    return orders;
  }
  Random random(1);
  const int starts = g <= 128 ? 12 : 2;
  for (int s = 0; s < starts; ++s) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (s == 1) std::reverse(order.begin(), order.end());
    if (s > 1) random.mix(order);
    orders.push_back(order);
    improve(d, order);
    orders.push_back(order);
  }
  return orders;
}

// The weight of each coupler, from i to j, that has one.
template <class WeightOf>
certificate::Weights weighed(std::size_t groups, WeightOf&& weight_of) {
  certificate::Weights all;
  for (std::size_t i = 0; i < groups; ++i)
    for (std::size_t j = 0; j < groups; ++j)
      if (const std::uint64_t weight = weight_of(i, j); weight > 0)
        all.links.push_back({i, j, weight});
  return all;
}

certificate::Weights level_weights(const Demand& d, std::int64_t k, const Levels& levels) {
  return weighed(d.groups(), [&](std::size_t i, std::size_t j) {
    const auto& level = levels.level;
    const bool alone =
        i == j && std::count(level.begin(), level.end(), level[i]) == 1 && d(i, i) > k;
    return alone || level[i] < level[j] ? 1U : 0U;
  });
}

certificate::Weights cut_weights(std::size_t g, std::uint32_t set) {
  return weighed(g, [&](std::size_t i, std::size_t j) { return (set >> i) & ~(set >> j) & 1U; });
}

// A datum of a pair with more than k pays 2, over its coupler or two others.
certificate::Weights hop_weights(const Demand& d, std::int64_t k) {
  return weighed(d.groups(), [&](std::size_t i, std::size_t j) {
    return d(i, j) > k ? 2U : i == j ? 0U : 1U;
  });
}

}  // namespace

bool pops_slots_possible(const PopsDemand& demand, std::int64_t k) {
  return !hops_refute(demand, k) && !group_refuting(demand, k);
}

Bound pops_senders_bound(const PopsDemand& d, std::uint64_t processors) {
  if (d.total() == 0) return {0, "nothing moves", {}};
  const auto possible = [&](Count k) {
    Count sends = 0;
    for (std::size_t i = 0; i < d.groups(); ++i)
      for (std::size_t j = 0; j < d.groups(); ++j) {
        const auto data = static_cast<Count>(d(i, j));
        sends += 2 * data - std::min(data, k);
      }
    return sends <= k * processors;
  };
  return {least_possible(possible), "what does not go straight is sent twice", certificate::Hops{}};
}

Bound pops_bound(const PopsDemand& d) {
  if (d.total() == 0) return {0, "nothing moves", {}};
  if (d.largest() <= 1) return {1, "something moves", {}};
  Bound bound{2, "two data share source and destination group", {}};
  const bool certify = d.groups() <= limits::bound_weights_groups_max;
  std::int64_t k = least_not_refuted(2, [&d](std::int64_t slots) {
    return lacking_hops(d, slots) > 0 || group_refuting(d, slots);
  });
  while (!pops_slots_possible(d, k)) ++k;
  if (k > 2) {
    const bool hops = hops_refute(d, k - 1);
    bound = {static_cast<Count>(k),
             hops ? "hops over couplers between groups" : "what leaves or enters a group",
             {}};
    if (certify && lacking_hops(d, k - 1) > 0)
      bound.certificate = hop_weights(d, k - 1);
    else if (hops)
      bound.certificate = certificate::Hops{};
    else
      bound.certificate = *group_refuting(d, k - 1);
  }
  if (d.groups() == 1) return bound;
  if (d.groups() <= cut_groups_max)
    if (const GroupCut cut = cut_bound(d); cut.value > k) {
      k = cut.value;
      bound = {static_cast<Count>(k), "what leaves a set of groups",
               cut_weights(d.groups(), cut.set)};
    }
  const std::vector<Order> orders = level_orders(d);
  for (const Order& order : orders)
    k = least_not_refuted(
        k, [&](std::int64_t slots) { return best_levels(d, slots, order).value > 0; });
  k = least_not_refuted(k,
                        [&d](std::int64_t slots) { return block_refuting(d, slots).has_value(); });
  if (bound.value == static_cast<Count>(k)) return bound;
  for (const Order& order : orders) {
    const Levels levels = best_levels(d, k - 1, order);
    if (levels.value <= 0) continue;
    bound = {static_cast<Count>(k), "data that must go up levels of groups", {}};
    if (certify) bound.certificate = level_weights(d, k - 1, levels);
    return bound;
  }
  bound = {static_cast<Count>(k), "what a block of groups with equal destinations sends", {}};
  if (certify) bound.certificate = *block_refuting(d, k - 1);
  return bound;
}

}  // namespace faro::inline v1
