// Any permutation on a fat tree, every element straight home, by halves or by negotiation.   [faro]
//
//   applies:  any list of destinations, and maps whose elements are few
//   cost:     tree-halves: max 2^(m+a-u) steps over tiers of 2^a processors with links for 2^u
//             elements, or fewer where less leaves; tree-seats: what it finds, fewer
//   bound:    what leaves the processors below one switch, over its links
//   where     K = 2^m elements of a processor; other K in powers of two, one after the other
//
// By halves: in each processor, then in what is left below each switch, tier by tier, elements are
// paired that start there; likewise those that end there. An element has one mate of each kind, so
// that mates form rings and lines of even turns: in each every other element goes to one half. What
// starts below any switch, or ends there, is halved but for one. A half is halved again while some
// links have no room for it.
//
//   four elements of switch 0, two to switch 1 and two to switch 2, u = 1: halves of one and one
//
// By negotiation (search/route.hpp): an element wants a step, and with it a seat on every
// link that it takes. Numbers of steps are tried from the bound on.
#include "planners/ranks/tree_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/working.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "machines/bounds.hpp"
#include "search/route.hpp"

namespace faro::inline v1 {
namespace {

// One element.
struct Errand {
  Word from = 0;
  Slot reg = 0;
  Word to = 0;
  Slot into = 0;
};
using Steps = std::vector<std::vector<Errand>>;

const std::vector<Crossbar::Tier>& tiers_of(const Request& request) {
  return std::get<Crossbar>(request.machine()).tiers;
}

std::uint64_t processors_of(const Request& request) {
  return bit(std::get<Crossbar>(request.machine()).bits);
}

std::vector<Errand> errands_of(const Request& request, Slot first, std::uint64_t count) {
  const auto behind = static_cast<Slot>(request.elements());
  std::vector<Errand> all;
  for (Word p = 0; p < processors_of(request); ++p)
    for (Slot s = first; s < first + count; ++s) {
      if (!request.destinations().empty()) {
        all.push_back({p, s, request.destinations()[p], behind + s});
        continue;
      }
      const MapGoal& goal = request.map();
      const int memory = goal.cut ? goal.memory_bits : 0;
      const Word to = goal.map(goal.cut ? p << memory | s : p);
      all.push_back(
          {p, s, to >> memory, behind + (goal.cut ? static_cast<Slot>(to & low_mask(memory)) : s)});
    }
  return all;
}

// What stays in its processor, element by element of each: these steps cost nothing.
Steps taken_out(std::vector<Errand>& errands) {
  const auto home = std::stable_partition(errands.begin(), errands.end(),
                                          [](const Errand& e) { return e.from != e.to; });
  Steps steps;
  std::size_t k = 0;
  for (auto e = home; e != errands.end(); ++e) {
    k = e == home || e->from != std::prev(e)->from ? 0 : k + 1;
    if (k == steps.size()) steps.emplace_back();
    steps[k].push_back(*e);
  }
  errands.erase(home, errands.end());
  return steps;
}

bool fits(const std::vector<Errand>& errands, std::span<const Crossbar::Tier> tiers) {
  const auto crowded = [&](Word Errand::*side, const Crossbar::Tier& tier) {
    std::vector<Word> switches;
    for (const Errand& e : errands)
      if ((e.from ^ e.to) >> tier.processors_log2 != 0)
        switches.push_back(e.*side >> tier.processors_log2);
    std::sort(switches.begin(), switches.end());
    const std::uint64_t room = bit(tier.up_log2);
    for (std::size_t i = room; i < switches.size(); ++i)
      if (switches[i] == switches[i - room]) return true;
    return false;
  };
  for (auto side : {&Errand::from, &Errand::to}) {
    if (crowded(side, {})) return false;
    for (const Crossbar::Tier& tier : tiers)
      if (crowded(side, tier)) return false;
  }
  return true;
}

constexpr std::size_t nobody = ~std::size_t{0};

// Everybody's mate among those that start, or end, in one processor, else below one switch, ...
std::vector<std::size_t> mates_of(const std::vector<Errand>& errands, Word Errand::*side,
                                  std::span<const Crossbar::Tier> tiers) {
  std::vector<std::size_t> mates(errands.size(), nobody);
  std::vector<std::size_t> left(errands.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::stable_sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
    return errands[a].*side < errands[b].*side;
  });
  std::vector<int> below = {0};
  for (auto tier = tiers.rbegin(); tier != tiers.rend(); ++tier)
    below.push_back(tier->processors_log2);
  below.push_back(word_bits - 1);
  for (const int low : below) {
    std::vector<std::size_t> single;
    for (const std::size_t i : left) {
      if (!single.empty() && mates[single.back()] == nobody &&
          errands[single.back()].*side >> low == errands[i].*side >> low) {
        mates[i] = single.back();
        mates[single.back()] = i;
        single.pop_back();
      } else {
        single.push_back(i);
      }
    }
    left = std::move(single);
  }
  return mates;
}

std::array<std::vector<Errand>, 2> halves_of(const std::vector<Errand>& errands,
                                             std::span<const Crossbar::Tier> tiers) {
  const std::array mates = {mates_of(errands, &Errand::from, tiers),
                            mates_of(errands, &Errand::to, tiers)};
  std::vector<bool> seen(errands.size());
  std::array<std::vector<Errand>, 2> halves;
  const auto walk = [&](std::size_t first, std::size_t kind) {
    std::size_t half = 0;
    for (std::size_t i = first; i != nobody && !seen[i]; i = mates[kind][i], kind ^= 1U) {
      seen[i] = true;
      halves[half].push_back(errands[i]);
      half ^= 1U;
    }
  };
  // Lines from their ends, then rings.
  for (const std::size_t kind : {std::size_t{0}, std::size_t{1}})
    for (std::size_t i = 0; i < errands.size(); ++i)
      if (!seen[i] && mates[kind][i] == nobody) walk(i, kind ^ 1U);
  for (std::size_t i = 0; i < errands.size(); ++i)
    if (!seen[i]) walk(i, 0);
  return halves;
}

void halve(std::vector<Errand> errands, std::span<const Crossbar::Tier> tiers, Steps& steps) {
  still_working();
  if (errands.empty()) return;
  if (fits(errands, tiers)) {
    steps.push_back(std::move(errands));
    return;
  }
  for (std::vector<Errand>& half : halves_of(errands, tiers)) halve(std::move(half), tiers, steps);
}

// Steps in which something leaves, then those in which nothing does.
struct Timetable {
  Steps moving;
  Steps home;
};

Timetable by_halves(const Request& request) {
  Timetable table;
  const std::uint64_t k = request.elements();
  const bool whole = request.destinations().empty() && request.map().cut;
  Slot first = 0;
  for (int b = highest_bit(k); b >= 0; --b) {
    const std::uint64_t count = whole ? k : bit(b);
    if (!whole && !has_bit(k, b)) continue;
    std::vector<Errand> errands = errands_of(request, first, count);
    for (std::vector<Errand>& step : taken_out(errands)) table.home.push_back(std::move(step));
    halve(std::move(errands), tiers_of(request), table.moving);
    first += static_cast<Slot>(count);
    if (whole) break;
  }
  return table;
}

// The seats of one step: on the links of processors and switches, out and in.
class Seats {
 public:
  explicit Seats(const Request& request) : tiers_(tiers_of(request)) {
    tiers_.push_back({});  // processors
    for (const Crossbar::Tier& tier : tiers_)
      for (int way = 0; way < 2; ++way) {
        first_.push_back(rooms_.size());
        rooms_.resize(rooms_.size() + (processors_of(request) >> tier.processors_log2),
                      static_cast<std::uint16_t>(bit(std::min(tier.up_log2, 15))));
      }
  }
  std::size_t size() const { return rooms_.size(); }

  // The links that it takes.
  std::vector<std::uint32_t> of(const Errand& e) const {
    std::vector<std::uint32_t> way;
    for (std::size_t t = 0; t < tiers_.size(); ++t) {
      const int low = tiers_[t].processors_log2;
      if ((e.from ^ e.to) >> low == 0) continue;
      way.push_back(static_cast<std::uint32_t>(first_[2 * t] + (e.from >> low)));
      way.push_back(static_cast<std::uint32_t>(first_[2 * t + 1] + (e.to >> low)));
    }
    return way;
  }

  // Everybody in one of so many steps, or nothing if negotiation does not end.
  std::optional<Steps> shared_out(const std::vector<Errand>& errands, std::size_t steps) const {
    search::Router router(
        rooms_, steps, search::Router::Beside::channels,
        {.pressure = 50, .times = 110, .rounds = {.most = rounds_max, .patience = patience}});
    std::vector<std::vector<std::uint32_t>> here;
    for (const Errand& e : errands) here.push_back(of(e));
    std::vector<search::Way> ways(errands.size());
    // Those that take the most links first.
    const auto order = [&](std::vector<std::size_t>& turn) {
      std::stable_sort(turn.begin(), turn.end(), [&](std::size_t a, std::size_t b) {
        return here[a].size() > here[b].size();
      });
    };
    const auto choose = [&](std::size_t i, search::Way& way) {
      still_working();
      search::Price least = search::out_of_reach;
      std::uint32_t chosen = 0;
      for (std::uint32_t t = 0; t < steps; ++t) {
        search::Price price = 0;
        for (const std::uint32_t seat : here[i]) price += router.price({t, seat});
        if (price < least) least = price, chosen = t;
      }
      for (const std::uint32_t seat : here[i]) way.push_back({chosen, seat});
      return true;
    };
    if (!router.run(ways, order, choose)) return {};
    Steps found(steps);
    for (std::size_t i = 0; i < errands.size(); ++i) found[ways[i][0].step].push_back(errands[i]);
    return found;
  }

 private:
  static constexpr int rounds_max = 400;
  static constexpr std::uint64_t patience = 40;

  std::vector<Crossbar::Tier> tiers_;
  std::vector<std::size_t> first_;
  std::vector<std::uint16_t> rooms_;
};

// Elements, or seats, times steps: a second or two.
constexpr int choices_log2_max = 22;

Count bound_of(const Request& request) {
  return request.destinations().empty()
             ? lower_bound(request.machine(), request.map(), request.elements()).value
             : lower_bound(request.machine(), request.destinations(), request.elements()).value;
}

Timetable by_negotiation(const Request& request) {
  Timetable table;
  std::vector<Errand> errands = errands_of(request, 0, request.elements());
  table.home = taken_out(errands);
  const auto halves = static_cast<std::size_t>(by_halves(request).moving.size());
  const Seats seats(request);
  auto steps = static_cast<std::size_t>(bound_of(request));
  for (std::size_t more = 1; steps < halves; steps += more, more *= 2) {
    if (steps * errands.size() > bit(choices_log2_max) ||
        steps * seats.size() > bit(choices_log2_max))
      break;
    if (auto found = seats.shared_out(errands, steps)) {
      table.moving = std::move(*found);
      return table;
    }
  }
  throw Error(ErrorCode::impossible, "negotiation finds no fewer steps than halves");
}

void push_listed(const Request& request, const Timetable& table, std::string_view planner,
                 ScheduleSink& sink) {
  ScheduleHeader header = header_of(request, planner, 2 * request.elements());
  header.result = {static_cast<Slot>(request.elements())};
  if (!request.destinations().empty()) {
    MovesGoal goal;
    for (const Errand& e : errands_of(request, 0, request.elements()))
      goal.moves.push_back({e.from, e.reg, e.to, e.into});
    header.goal = std::move(goal);
  }
  sink.begin(header);
  PopsSlot slot;
  for (const Steps* steps : {&table.moving, &table.home})
    for (const std::vector<Errand>& step : *steps) {
      slot.clear();
      for (const Errand& e : step) {
        slot.sends.push_back({e.from, e.reg, {e.to}});
        slot.receives.push_back({e.to, e.from, e.into});
      }
      sink.step(slot);
    }
  sink.finish();
}

std::optional<std::string> list_refusal(const Request& request) {
  const auto* tree = std::get_if<Crossbar>(&request.machine());
  if (tree == nullptr || tree->tiers.empty()) return "it plans for fat trees";
  if (!request.is_map() && request.destinations().empty()) return "it takes maps and permutations";
  if (processors(request.machine()) * request.elements() >
      (Count{1} << limits::ranks_rules_log2_max))
    return fmt::format("more than 2^{} elements in all", limits::ranks_rules_log2_max);
  return std::nullopt;
}

template <const PlannerEntry& entry, Timetable (*table)(const Request&)>
Offer offer_listed(const Request& request) {
  auto found = std::make_shared<const Timetable>(table(request));
  return {.estimate = {.cost = {found->moving.size(), "counted"}},
          .push = [found, request](ScheduleSink& sink) {
            push_listed(request, *found, entry.name(), sink);
          }};
}

}  // namespace

const PlannerEntry tree_halves{{
    .name = "tree-halves",
    .machine = "fat-tree",
    .title = "everything straight home, halved until the links have room",
    .needs = "a permutation or a map of at most 2^20 elements in all",
    .cost = "the most that the processors below one switch hold over its links",
    .refusal = list_refusal,
    .offer = offer_listed<tree_halves, by_halves>,
    .searches = true,
}};

const PlannerEntry tree_seats{{
    .name = "tree-seats",
    .machine = "fat-tree",
    .title = "everything straight home, in steps shared out by prices",
    .needs = "a permutation or a map of few elements: times steps at most 2^22",
    .cost = "what it finds between the bound and tree-halves",
    .citation = "faro; McMurchie, Ebeling 1995 (PathFinder)",
    .refusal = list_refusal,
    .offer = offer_listed<tree_seats, by_negotiation>,
    .searches = true,
}};

}  // namespace faro::inline v1
