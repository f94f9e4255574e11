// Rearrangements inside groups, and the reversal.   [Sahni 2000, sections 3.1 to 3.3, corrected;
// faro where it says so]
//   cost:   all groups   max(2, ceil(2m/(g+1))), m the most that move in a group; optimal
//                        Figure 5: 2 floor(m/(g+1)) + min(2, m mod (g+1))     (d <= 30, g <= 9)
//           reversal     g even max(2, ceil(2d/g)), g odd max(2, ceil(2(n - n mod 2)/(g²+1)));
//                        d = 1: 1 for g > 1, else 0                           (d <= 30, g <= 9)
// What only the paper does stands in papers/printed/pops.cpp.
#include "planners/pops/patterns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "machines/pops/model.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/loads.hpp"
#include "planners/pops/placement.hpp"

namespace faro::inline v1::pops {

Packet hop(Word from, Word to, std::uint32_t slot) {
  Packet p;
  p.from = from;
  p.to = to;
  p.first = slot;
  return p;
}

Packet hop_over(Word from, Word relay, Word to, std::uint32_t slot) {
  Packet p = hop(from, to, slot);
  p.relay = relay;
  p.second = slot + 1;
  return p;
}

std::vector<Word> moved_in_group(const Pops& machine, const std::vector<Word>& to,
                                 std::uint64_t group) {
  std::vector<Word> moved;
  const Word first = group * machine.group_size;
  for (Word p = first; p < first + machine.group_size; ++p)
    if (to[p] != p) moved.push_back(p);
  return moved;
}

std::uint64_t most_moved(const Pops& machine, const std::vector<Word>& to) {
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < machine.groups; ++i)
    most = std::max<std::uint64_t>(most, moved_in_group(machine, to, i).size());
  return most;
}

std::vector<Word> reversed(const Pops& machine) {
  std::vector<Word> to(processors(machine));
  for (Word p = 0; p < to.size(); ++p) to[p] = to.size() - 1 - p;
  return to;
}

namespace {

constexpr std::uint64_t placement_seeds = 64;

bool inside_groups(const Pops& machine, const std::vector<Word>& to) {
  for (Word p = 0; p < to.size(); ++p)
    if (group_of(machine, p) != group_of(machine, to[p])) return false;
  return true;
}

std::vector<Packet> placed(const Pops& machine, const std::vector<Word>& to,
                           const std::vector<Route>& routes, std::uint32_t k) {
  for (std::uint64_t seed = 0; seed < placement_seeds; ++seed)
    if (auto packets = place(machine, to, routes, k, seed)) return *packets;
  return fewest_slots(machine, to);
}

// Routes in the reversal for d > g: k data of a group straight, the others over groups that share
// the load by halves of the machine; an odd machine's middle group takes the remainder.
class ReversalRoutes {
 public:
  ReversalRoutes(const Pops& machine, std::uint32_t k)
      : g_(static_cast<std::uint32_t>(machine.groups)),
        d_(static_cast<std::uint32_t>(machine.group_size)),
        k_(k),
        load_(std::size_t{g_} * g_, 0) {}

  std::vector<Route> find() {
    const std::uint32_t middle = g_ % 2 != 0 ? g_ / 2 : straight;
    for (std::uint32_t i = 0; i < g_; ++i)
      if (i != middle) push_group(i, middle);
    if (middle != straight) push_middle(middle);
    return std::move(routes_);
  }

 private:
  std::uint32_t& load(std::uint32_t from, std::uint32_t to) { return load_[from * g_ + to]; }

  void push(std::uint32_t from, std::uint32_t to, std::uint32_t over, std::uint32_t count) {
    for (std::uint32_t c = 0; c < count; ++c) routes_.push_back({from, to, over});
    if (over == straight) {
      load(from, to) += count;
    } else {
      load(from, over) += count;
      load(over, to) += count;
    }
  }

  void push_group(std::uint32_t i, std::uint32_t middle) {
    const std::uint32_t to = g_ - 1 - i;
    std::uint32_t left = d_;
    const auto take = [&](std::uint32_t over, std::uint32_t most) {
      const std::uint32_t count = std::min(left, most);
      push(i, to, over, count);
      left -= count;
    };
    take(straight, k_);
    for (std::uint32_t x = 0; x < g_; ++x) {
      if (x == i || x == to || x == middle) continue;
      const bool same_half = (2 * i < g_) == (2 * x < g_);
      take(x, same_half ? (k_ + 1) / 2 : k_ / 2);
    }
    if (middle != straight) take(middle, k_ - 1);
    FARO_CHECK(left == 0);
  }

  // The middle group's data move inside it, but for its middle processor if d is odd.
  void push_middle(std::uint32_t middle) {
    std::uint32_t left = d_ - d_ % 2;
    const auto take = [&](std::uint32_t over, std::uint32_t most) {
      const std::uint32_t count = std::min(left, most);
      push(middle, middle, over, count);
      left -= count;
    };
    take(straight, k_);
    for (std::uint32_t x = 0; x < g_; ++x)
      if (x != middle) take(x, std::min({k_ - load(middle, x), k_ - load(x, middle), k_ - 1}));
    FARO_CHECK(left == 0);
  }

  std::uint32_t g_;
  std::uint32_t d_;
  std::uint32_t k_;
  std::vector<std::uint32_t> load_;
  std::vector<Route> routes_;
};

}  // namespace

std::vector<Packet> figure5_hops(const Pops& machine, const std::vector<Word>& to) {
  const std::uint64_t g = machine.groups;
  const std::uint64_t d = machine.group_size;
  FARO_CHECK(d >= g);
  std::vector<std::vector<Word>> moved;
  for (std::uint64_t i = 0; i < g; ++i) moved.push_back(moved_in_group(machine, to, i));
  std::vector<Packet> packets;
  for (std::uint64_t i = 0; i < g; ++i)
    for (std::uint64_t a = 0; a < moved[i].size(); ++a) {
      const auto slot = static_cast<std::uint32_t>(2 * (a / (g + 1)));
      const std::uint64_t s = a % (g + 1);
      const Word from = moved[i][a];
      if (s == 0 || s == g) {
        packets.push_back(hop(from, to[from], slot + (s == g ? 1 : 0)));
        continue;
      }
      // Relay p(t, i), but p(t, t) if p(t, i) receives its own datum in the first slot.
      const std::uint64_t t = (i + s) % g;
      const std::uint64_t direct = a - s;
      const bool receives =
          direct < moved[t].size() && local_of(machine, to[moved[t][direct]]) == i;
      packets.push_back(hop_over(from, t * d + (receives ? t : i), to[from], slot));
    }
  return packets;
}

std::vector<Packet> all_groups_hops(const Pops& machine, const std::vector<Word>& to) {
  const auto g = static_cast<std::uint32_t>(machine.groups);
  const std::uint64_t d = machine.group_size;
  std::vector<Packet> packets;
  if (d <= g) {
    for (Word p = 0; p < to.size(); ++p) {
      if (to[p] == p) continue;
      const std::uint64_t local = local_of(machine, p);
      packets.push_back(hop_over(p, (group_of(machine, p) + local) % g * d + local, to[p], 0));
    }
    return packets;
  }
  const std::uint64_t most = most_moved(machine, to);
  if (most == 0) return packets;
  const auto k = static_cast<std::uint32_t>(std::max<std::uint64_t>(2, (2 * most + g) / (g + 1)));
  std::vector<Route> routes;
  for (std::uint32_t i = 0; i < g; ++i) {
    auto left = static_cast<std::uint32_t>(moved_in_group(machine, to, i).size());
    const auto take = [&](std::uint32_t over, std::uint32_t at_most) {
      for (; left > 0 && at_most > 0; --left, --at_most) routes.push_back({i, i, over});
    };
    take(straight, k);
    for (std::uint32_t t = 1; t < g; ++t) {
      const std::uint32_t x = (i + t) % g;
      const bool larger = 2 * t < g || (2 * t == g && i > x);
      take(x, larger ? (k + 1) / 2 : k / 2);
    }
    FARO_CHECK(left == 0);
  }
  return placed(machine, to, routes, k);
}

Count reversal_slots(const Pops& machine) {
  const Count d = machine.group_size;
  const Count g = machine.groups;
  const Count n = d * g;
  if (d == 1) return g == 1 ? 0 : 1;
  return std::max<Count>(2, g % 2 == 0 ? ceil_div(2 * d, g) : ceil_div(2 * (n - n % 2), g * g + 1));
}

std::vector<Packet> reversal_hops(const Pops& machine) {
  const std::uint64_t g = machine.groups;
  const std::uint64_t d = machine.group_size;
  const std::vector<Word> to = reversed(machine);
  std::vector<Packet> packets;
  if (d > g) {
    const auto k = static_cast<std::uint32_t>(reversal_slots(machine));
    return placed(machine, to, ReversalRoutes(machine, k).find(), k);
  }
  for (Word p = 0; p < to.size(); ++p) {
    if (to[p] == p) continue;
    packets.push_back(d == 1 ? hop(p, to[p], 0) : hop_over(p, p % g * d + p / g, to[p], 0));
  }
  return packets;
}

std::optional<std::string> inside_refusal(const Request& request) {
  if (auto why = no_permutation(request)) return why;
  if (!inside_groups(machine_of(request), destinations(request)))
    return "some data leave their group";
  return std::nullopt;
}

std::optional<std::string> reversal_refusal(const Request& request) {
  if (auto why = no_permutation(request)) return why;
  if (destinations(request) != reversed(machine_of(request))) return "it is no reversal";
  return std::nullopt;
}

namespace {

Count rounds_of_two(Count data, Count per_round) {
  return 2 * (data / per_round) + std::min<Count>(2, data % per_round);
}

std::optional<std::string> figure5_refusal(const Request& request) {
  if (auto why = inside_refusal(request)) return why;
  if (machine_of(request).group_size < machine_of(request).groups)
    return "d < g: its relays do not exist";
  return std::nullopt;
}

Estimate figure5_estimate(const Request& request) {
  const Pops& machine = machine_of(request);
  const Count m = most_moved(machine, destinations(request));
  return {{rounds_of_two(m, Count{machine.groups} + 1), "2 floor(m/(g+1)) + min(2, m mod (g+1))"}};
}

void figure5_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-figure-5",
                   figure5_hops(machine_of(request), destinations(request)), sink);
}

Count all_groups_slots(const Request& request) {
  const Pops& machine = machine_of(request);
  const Count m = most_moved(machine, destinations(request));
  if (m == 0) return 0;
  if (machine.group_size <= machine.groups) return 2;
  return std::max<Count>(2, ceil_div(2 * m, Count{machine.groups} + 1));
}

// Relays of d > g are found in tables.
std::optional<std::string> placement_refusal(const Pops& machine, Count slots) {
  if (machine.group_size <= machine.groups) return std::nullopt;
  return too_large(machine, slots);
}

std::optional<std::string> all_groups_refusal(const Request& request) {
  if (auto why = inside_refusal(request)) return why;
  return placement_refusal(machine_of(request), all_groups_slots(request));
}

Estimate all_groups_estimate(const Request& request) {
  return {{all_groups_slots(request), "max(2, ceil(2m/(g+1)))"}};
}

void all_groups_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-all-groups",
                   all_groups_hops(machine_of(request), destinations(request)), sink);
}

std::optional<std::string> even_reversal_refusal(const Request& request) {
  if (auto why = reversal_refusal(request)) return why;
  return placement_refusal(machine_of(request), reversal_slots(machine_of(request)));
}

Estimate reversal_estimate(const Request& request) {
  return {{reversal_slots(machine_of(request)),
           "g even max(2, ceil(2d/g)); g odd max(2, ceil(2(n - n mod 2)/(g²+1))); d = 1: 1"}};
}

void reversal_build(const Request& request, ScheduleSink& sink) {
  emit_permutation(request, "pops-reversal", reversal_hops(machine_of(request)), sink);
}

constexpr const char* inside_needs = "a permutation that moves data inside groups only";

}  // namespace
}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

const PlannerEntry pops_all_groups({
    "pops-all-groups",
    "pops",
    "data of all groups change places inside them, loads shared evenly",
    pops::inside_needs,
    "max(2, ceil(2m/(g+1))) slots, at most m data of a group move; optimal",
    "faro",
    pops::all_groups_refusal,
    pops::all_groups_estimate,
    pops::all_groups_build,
});

const PlannerEntry pops_figure5({
    "pops-figure-5",
    "pops",
    "data of all groups change places inside them, g+1 at a time",
    "a permutation that moves data inside groups only; d >= g",
    "2 floor(m/(g+1)) + min(2, m mod (g+1)) slots",
    "Sahni 2000, Figure 5 and Theorem 2",
    pops::figure5_refusal,
    pops::figure5_estimate,
    pops::figure5_build,
});

const PlannerEntry pops_reversal({
    "pops-reversal",
    "pops",
    "vector reversal, loads shared evenly",
    "the reversal: p sends to n-1-p",
    "g even max(2, ceil(2d/g)); g odd max(2, ceil(2(n - n mod 2)/(g²+1))); optimal",
    "faro",
    pops::even_reversal_refusal,
    pops::reversal_estimate,
    pops::reversal_build,
});

}  // namespace faro::inline v1
