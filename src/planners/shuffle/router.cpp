#include "faro/planners/shuffle/router.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "faro/base/check.hpp"
#include "faro/base/random.hpp"

namespace faro::shuffle {
namespace {

constexpr int router_elements_log2_max = 11;
// Looks at a link by an element, over all attempts: about a tenth of a second.
constexpr std::uint64_t router_work_max = std::uint64_t{4} << 20U;
constexpr unsigned fixed_orders = 4;
constexpr unsigned attempts_max = 400;

std::vector<int> active_dimensions(const Structure& s) {
  std::vector<int> active;
  for (const Chain& c : s.chains)
    active.insert(active.end(), c.dimensions.begin(), c.dimensions.end());
  for (const Cycle& c : s.cycles)
    active.insert(active.end(), c.dimensions.begin(), c.dimensions.end());
  return active;
}

// The map on active | slot.
struct SmallMap {
  std::vector<int> active;
  std::vector<Word> to;  // of processor * K + slot

  explicit SmallMap(const Structure& s) : active(active_dimensions(s)) {
    const int k = s.slot_bits;
    std::vector<int> small(static_cast<std::size_t>(s.processor_bits), -1);
    for (std::size_t i = 0; i < active.size(); ++i)
      small[static_cast<std::size_t>(active[i])] = static_cast<int>(i);
    const auto index = [&](int address_bit) {
      return address_bit < k ? address_bit : k + small[static_cast<std::size_t>(address_bit - k)];
    };
    const int width = k + static_cast<int>(active.size());
    to.assign(bit(width), 0);
    for (Word x = 0; x < bit(width); ++x)
      for (int i = 0; i < width; ++i) {
        const int full = i < k ? i : k + active[static_cast<std::size_t>(i - k)];
        const bool value = has_bit(x, index(s.source[static_cast<std::size_t>(full)])) !=
                           has_bit(s.complement, full);
        if (value) to[x] |= bit(i);
      }
  }
};

class RouterAttempt {
 public:
  RouterAttempt(const SmallMap& map, int slot_bits, unsigned number)
      : map_(map),
        slot_bits_(slot_bits),
        dimensions_(static_cast<int>(map.active.size())),
        number_(number),
        random_(number) {}

  // Nothing if it takes `limit` steps or more.
  std::optional<Routing> run(Count limit) {
    const std::size_t count = map_.to.size();
    at_.resize(count);
    hops_.assign(count, {});
    left_ = 0;
    for (std::size_t e = 0; e < count; ++e) {
      at_[e] = static_cast<Word>(e) >> slot_bits_;
      left_ += static_cast<std::size_t>(std::popcount(away(e)));
    }
    Count steps = 0;
    for (; left_ != 0; ++steps) {
      if (steps + 1 >= limit) return std::nullopt;
      step(static_cast<std::uint32_t>(steps));
    }
    return Routing{map_.active, std::move(hops_), steps};
  }

 private:
  Word away(std::size_t e) const { return at_[e] ^ (map_.to[e] >> slot_bits_); }

  void step(std::uint32_t now) {
    std::vector<std::vector<std::size_t>> at_node(bit(dimensions_));
    for (std::size_t e = 0; e < at_.size(); ++e)
      if (away(e) != 0) at_node[at_[e]].push_back(e);
    for (auto& here : at_node) {
      if (here.empty()) continue;
      order(here);
      match(here);
      for (int d = 0; d < dimensions_; ++d) {
        const auto link = static_cast<std::size_t>(d);
        if (taken_[link] == none) continue;
        hops_[taken_[link]].push_back({now, d});
        --left_;
        moved_.emplace_back(taken_[link], bit(d));
      }
    }
    for (const auto& [e, by] : moved_) at_[e] ^= by;
    moved_.clear();
  }

  void order(std::vector<std::size_t>& here) {
    std::vector<std::tuple<int, std::uint64_t, std::size_t>> keys;
    for (const std::size_t e : here)
      keys.emplace_back(-std::popcount(away(e)), number_ < fixed_orders ? 0 : random_.next(), e);
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < here.size(); ++i) here[i] = std::get<2>(keys[i]);
    links_.resize(static_cast<std::size_t>(dimensions_));
    for (int i = 0; i < dimensions_; ++i) {
      const int turn = number_ < 2 ? i : (i + dimensions_ / 2) % dimensions_;
      links_[static_cast<std::size_t>(i)] = number_ % 2 == 0 ? turn : dimensions_ - 1 - turn;
    }
    if (number_ >= fixed_orders)
      for (std::size_t i = links_.size(); i-- > 1;)
        std::swap(links_[i], links_[random_.below(i + 1)]);
  }

  void match(const std::vector<std::size_t>& here) {
    taken_.assign(static_cast<std::size_t>(dimensions_), none);
    for (const std::size_t e : here) {
      visited_ = 0;
      augment(e);
    }
  }

  bool augment(std::size_t e) {
    for (const int d : links_) {
      if (!has_bit(away(e), d) || has_bit(visited_, d)) continue;
      visited_ |= bit(d);
      std::size_t& holder = taken_[static_cast<std::size_t>(d)];
      if (holder == none || augment(holder)) {
        holder = e;
        return true;
      }
    }
    return false;
  }

  static constexpr std::size_t none = ~std::size_t{0};
  const SmallMap& map_;
  int slot_bits_;
  int dimensions_;
  unsigned number_;
  Random random_;
  std::vector<Word> at_;
  std::vector<std::vector<Hop>> hops_;
  std::vector<int> links_;
  std::vector<std::size_t> taken_;
  std::vector<std::pair<std::size_t, Word>> moved_;
  Word visited_ = 0;
  std::size_t left_ = 0;
};

// A subcube of the active dimensions.
struct Subcube {
  Word care = 0;
  Word value = 0;
  friend auto operator<=>(const Subcube&, const Subcube&) = default;
};

// Joins neighbours, one dimension after another.
std::vector<Subcube> subcubes(const std::vector<Word>& nodes, int dimensions) {
  std::set<Subcube> cubes;
  for (const Word z : nodes) cubes.insert({low_mask(dimensions), z});
  for (int d = 0; d < dimensions; ++d) {
    std::set<Subcube> joined;
    for (const Subcube& c : cubes) {
      const bool whole = has_bit(c.care, d) && cubes.contains({c.care, c.value ^ bit(d)});
      joined.insert(whole ? Subcube{c.care ^ bit(d), c.value & ~bit(d)} : c);
    }
    cubes = std::move(joined);
  }
  return {cubes.begin(), cubes.end()};
}

using MoveKey = std::tuple<Slot, int, Slot>;  // from, across, to

CubeStep as_rules(const std::map<MoveKey, std::vector<Word>>& moves,
                  const std::vector<int>& active) {
  CubeStep step;
  for (const auto& [key, nodes] : moves)
    for (const Subcube& cube : subcubes(nodes, static_cast<int>(active.size()))) {
      Rule rule{.where = {},
                .from = std::get<0>(key),
                .across = std::get<1>(key),
                .to = std::get<2>(key)};
      for (std::size_t i = 0; i < active.size(); ++i)
        if (has_bit(cube.care, static_cast<int>(i)))
          rule.where.push_back({.mask = bit(active[i]),
                                .value = has_bit(cube.value, static_cast<int>(i)) ? 1U : 0U});
      step.rules.push_back(std::move(rule));
    }
  return step;
}

}  // namespace

bool router_fits(const Structure& s) {
  const std::size_t active = active_dimensions(s).size();
  return active + static_cast<std::size_t>(s.slot_bits) <= router_elements_log2_max &&
         s.elements() <= 4 * active;
}

Routing route(const Structure& s, Count bound) {
  const SmallMap map(s);
  std::optional<Routing> best;
  const std::uint64_t work =
      map.to.size() * (map.active.size() + s.elements()) * (map.active.size() + 1);
  std::uint64_t spent = 0;
  for (unsigned attempt = 0; attempt < attempts_max; ++attempt) {
    spent += work;
    if (best && (best->steps <= bound || spent > router_work_max)) break;
    // Shortest paths always progress: the first attempt ends within all distances together.
    const Count limit = best ? best->steps : ~Count{0};
    if (auto made = RouterAttempt(map, s.slot_bits, attempt).run(limit)) best = std::move(made);
  }
  FARO_CHECK(best.has_value());
  return *std::move(best);
}

std::vector<CubeStep> routed_steps(const Structure& s, const Routing& routing,
                                   std::uint64_t& slots) {
  const SmallMap map(s);
  const Word nodes = bit(static_cast<int>(routing.active.size()));
  std::vector<std::vector<bool>> used(nodes, std::vector<bool>(s.elements(), true));
  std::vector<Word> at(map.to.size());
  std::vector<Slot> slot(map.to.size());
  std::vector<std::size_t> next(map.to.size(), 0);
  for (std::size_t e = 0; e < at.size(); ++e) {
    at[e] = static_cast<Word>(e) >> s.slot_bits;
    slot[e] = static_cast<Slot>(e & s.slot_mask());
  }
  const auto take = [&](Word node, Slot wanted) {
    auto& here = used[node];
    Slot chosen = wanted;
    if (here[wanted])
      for (chosen = 0; chosen < here.size() && here[chosen];) ++chosen;
    if (chosen == here.size())
      for (auto& each : used) each.push_back(false);
    used[node][chosen] = true;
    return chosen;
  };
  std::vector<CubeStep> steps;
  for (std::uint32_t now = 0; now < routing.steps; ++now) {
    std::vector<std::size_t> moving;
    for (std::size_t e = 0; e < at.size(); ++e)
      if (next[e] < routing.hops[e].size() && routing.hops[e][next[e]].step == now) {
        moving.push_back(e);
        used[at[e]][slot[e]] = false;
      }
    std::map<MoveKey, std::vector<Word>> moves;
    for (const std::size_t e : moving) {
      const int d = routing.hops[e][next[e]++].dimension;
      const Word from = at[e];
      at[e] ^= bit(d);
      const Slot to = take(at[e], slot[e]);
      moves[{slot[e], routing.active[static_cast<std::size_t>(d)], to}].push_back(from);
      slot[e] = to;
    }
    steps.push_back(as_rules(moves, routing.active));
  }
  std::map<MoveKey, std::vector<Word>> last;
  for (std::size_t e = 0; e < at.size(); ++e) {
    const auto to = static_cast<Slot>(map.to[e] & s.slot_mask());
    if (slot[e] != to) last[{slot[e], inside, to}].push_back(at[e]);
  }
  if (!last.empty()) steps.push_back(as_rules(last, routing.active));
  slots = used.front().size();
  return steps;
}

}  // namespace faro::shuffle
