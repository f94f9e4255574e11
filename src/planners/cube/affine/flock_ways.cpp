#include "planners/cube/affine/flock_ways.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/working.hpp"
#include "search/matching.hpp"
#include "search/negotiation.hpp"

namespace faro::inline v1 {
namespace {

using search::Price;
using Hop = FlockWays::Hop;

// Of a hundred negotiations that end well one needs more.
constexpr std::uint64_t patience = 300;

struct Flock {
  Word coset;  // where it is
  Word left;   // dimensions to cross
};

std::vector<Flock> all_flocks(const Flocks& flocks) {
  std::vector<Flock> all;
  for (Word coset = 0; coset < flocks.cosets(); ++coset)
    for (std::uint64_t slot = 0; slot < flocks.elements(); ++slot)
      all.push_back({coset, flocks.away(coset, static_cast<Slot>(slot))});
  return all;
}

Word crossed_by(const std::vector<Flock>& all) {
  Word crossed = 0;
  for (const Flock& flock : all) crossed |= flock.left;
  return crossed;
}

// Subsets of 0 .. k-1: of few all, of many those that lack no number more than some places below
// their largest. One is known by the first number that it lacks, i, and what it has behind i; those
// with a number less come before it.
class Subsets {
 public:
  void reset(int k) {
    k_ = k;
    behind_ = latest(k);
    first_.assign(1, 0);
    for (int i = 0; i < k; ++i) first_.push_back(first_.back() + bit(places(i)));
  }
  std::size_t size() const { return first_.back() + 1; }
  // How often a number is taken away from a subset, roughly.
  static std::uint64_t takings(int k) {
    const int late = latest(k);
    return (bit(late) * static_cast<std::uint64_t>(k - late + 1) *
            static_cast<std::uint64_t>(late + 2)) /
           2;
  }
  std::size_t number(Word subset) const {
    const int i = std::countr_one(subset);
    const Word late = i == k_ ? 0 : subset >> i >> 1U;
    return first_[static_cast<std::size_t>(i)] + static_cast<std::size_t>(late);
  }

  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int i = 0; i <= k_; ++i)
      for (Word late = 0; late < bit(places(i)); ++late)
        visit(low_mask(i) | late << i << 1U, first_[static_cast<std::size_t>(i)] + late);
  }
  // Those with one number less, i.
  template <class Visit>
  void for_each_before(Word subset, Visit&& visit) const {
    for (Word rest = subset; rest != 0; rest &= rest - 1) {
      const int i = lowest_bit(rest);
      const Word before = subset ^ bit(i);
      const int lacks = std::countr_one(before);
      if (before >> lacks >> 1U >> places(lacks) == 0) visit(i, number(before));
    }
  }

 private:
  static int latest(int k) {
    int late = std::max(k - 1, 0);
    while (late > 0 && bit(late) * static_cast<std::uint64_t>(k - late + 1) > most) --late;
    return late;
  }
  int places(int i) const { return std::max(0, std::min(behind_, k_ - 1 - i)); }

  static constexpr std::uint64_t most = 1024;
  int k_ = 0;
  int behind_ = 0;
  std::vector<std::size_t> first_;
};

// By one flock, with what a search costs beside them.
std::uint64_t looks_for(Word dimensions, std::uint64_t steps) {
  return 500 + steps * Subsets::takings(std::popcount(dimensions));
}

// Every step each coset matches its flocks, those with most left first, to dimensions. It always
// ends: in each step every coset with a flock under way sends one.
class Greedy {
 public:
  Greedy(const Flocks& flocks, std::vector<Flock> all)
      : flocks_(flocks),
        all_(std::move(all)),
        waiting_(flocks.cosets()),
        matching_(static_cast<std::size_t>(flocks.dimensions())) {
    ways_.hops.resize(all_.size());
    for (std::size_t i = 0; i < all_.size(); ++i) wait(i);
  }

  FlockWays run() {
    while (step()) ++ways_.steps;
    return std::move(ways_);
  }

 private:
  void wait(std::size_t i) {
    if (all_[i].left != 0) waiting_[all_[i].coset].push_back(i);
  }

  bool step() {
    still_working();
    std::vector<std::size_t> moved;
    for (std::vector<std::size_t>& here : waiting_) match(here, moved);
    for (const std::size_t i : moved) {
      Flock& flock = all_[i];
      std::erase(waiting_[flock.coset], i);
      const int d = ways_.hops[i].back().dimension;
      flock.coset ^= flocks_.across(d);
      flock.left &= ~bit(d);
    }
    for (const std::size_t i : moved) wait(i);
    return !moved.empty();
  }

  void match(std::vector<std::size_t>& here, std::vector<std::size_t>& moved) {
    std::stable_sort(here.begin(), here.end(), [this](std::size_t a, std::size_t b) {
      return std::popcount(all_[a].left) > std::popcount(all_[b].left);
    });
    matching_.clear();
    const auto wants = [this](std::size_t i, auto&& ask) {
      for (Word rest = all_[i].left; rest != 0; rest &= rest - 1)
        if (ask(static_cast<std::size_t>(lowest_bit(rest)))) return;
    };
    int matched = 0;
    for (std::size_t i = 0; i < here.size() && matched < flocks_.dimensions(); ++i)
      if (matching_.add(here[i], wants)) ++matched;
    for (int d = 0; d < flocks_.dimensions(); ++d) {
      const std::size_t i = matching_.holder(static_cast<std::size_t>(d));
      if (i == search::Matching::nobody) continue;
      ways_.hops[i].push_back({ways_.steps, d});
      moved.push_back(i);
    }
  }

  const Flocks& flocks_;
  std::vector<Flock> all_;
  std::vector<std::vector<std::size_t>> waiting_;  // by coset
  search::Matching matching_;                      // of a coset's dimensions
  FlockWays ways_;
};

// Ways of a given number of steps.
class Negotiated {
 public:
  Negotiated(const Flocks& flocks, const std::vector<Flock>& all, std::uint32_t steps)
      : flocks_(flocks),
        crossed_(crossed_by(all)),
        steps_(steps),
        random_(steps),
        links_(std::vector<std::uint16_t>(places(), 1),
               {.rounds = std::numeric_limits<int>::max(), .patience = patience}) {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].left != 0) movers_.push_back({i, all[i]});
    std::stable_sort(movers_.begin(), movers_.end(), [](const Mover& a, const Mover& b) {
      return std::popcount(a.flock.left) > std::popcount(b.flock.left);
    });
  }

  // Those of `ways` who are in time keep their links to begin with. False if the looks are used up.
  bool run(FlockWays& ways, std::uint64_t& looks) {
    std::vector<search::Way> taken(movers_.size());
    std::vector<std::vector<Hop>> hops(movers_.size());
    for (std::size_t i = 0; i < movers_.size(); ++i) {
      hops[i] = ways.hops[movers_[i].number];
      if (hops[i].back().step >= steps_) continue;
      taken[i] = links_of(i, hops[i]);
      links_.take(taken[i]);
    }
    bool first = true;
    const bool found = links_.run(
        taken,
        [&](auto& turn) {
          if (!first) random_.mix(turn);
          first = false;
          looks -= std::min<std::uint64_t>(looks, places() / 4 + movers_.size());
        },
        [&](std::size_t i, search::Way& way) {
          const std::uint64_t cost = looks_for(movers_[i].flock.left, steps_);
          if (looks < cost) return false;
          looks -= cost;
          hops[i] = cheapest(movers_[i].flock);
          way = links_of(i, hops[i]);
          return true;
        });
    if (!found) return false;
    for (std::size_t i = 0; i < movers_.size(); ++i)
      ways.hops[movers_[i].number] = std::move(hops[i]);
    ways.steps = steps_;
    return true;
  }

 private:
  struct Mover {
    std::size_t number;
    Flock flock;
  };

  // Links of all steps.
  std::size_t places() const {
    const std::size_t count =
        steps_ * flocks_.cosets() * static_cast<std::size_t>(std::popcount(crossed_));
    FARO_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
    return count;
  }
  // Of step 0; those of the steps after it follow.
  std::size_t link(Word coset, int dimension) const {
    const auto dimensions = static_cast<std::size_t>(std::popcount(crossed_));
    const auto number = static_cast<std::size_t>(std::popcount(crossed_ & low_mask(dimension)));
    return (coset * dimensions + number) * steps_;
  }

  search::Way links_of(std::size_t mover, const std::vector<Hop>& hops) const {
    search::Way way;
    Word coset = movers_[mover].flock.coset;
    for (const Hop& hop : hops) {
      way.push_back(static_cast<std::uint32_t>(link(coset, hop.dimension) + hop.step));
      coset ^= flocks_.across(hop.dimension);
    }
    return way;
  }

  // Least prices of having crossed a subset of the dimensions before each step, then backwards.
  std::vector<Hop> cheapest(const Flock& flock) {
    still_working();
    order_.clear();
    for (Word rest = flock.left; rest != 0; rest &= rest - 1) order_.push_back(lowest_bit(rest));
    random_.mix(order_);  // of equals the first is taken
    subsets_.reset(static_cast<int>(order_.size()));
    coset_.resize(subsets_.size());
    least_.resize(subsets_.size() * (steps_ + 1));
    coset_[0] = flock.coset;
    std::fill_n(least_.begin(), steps_ + 1, Price{0});
    subsets_.for_each([this](Word subset, std::size_t number) {
      if (subset != 0) find_least(subset, number);
    });
    std::vector<Hop> hops(order_.size());
    Word subset = low_mask(static_cast<int>(order_.size()));
    std::uint32_t t = steps_;
    for (std::size_t h = hops.size(); h-- > 0;) {
      const Price* here = least(subsets_.number(subset));
      while (t - 1 > h && here[t - 1] == here[t]) --t;
      --t;
      const int by = last_of(subset, t);
      hops[h] = {t, dimension(by)};
      subset ^= bit(by);
    }
    return hops;
  }

  int dimension(int i) const { return order_[static_cast<std::size_t>(i)]; }
  // By step; those too early or too late for the subset are not set.
  Price* least(std::size_t number) { return &least_[number * (steps_ + 1)]; }

  void find_least(Word subset, std::size_t number) {
    const auto crossed = static_cast<std::size_t>(std::popcount(subset));
    const std::size_t times = steps_ - order_.size() + 1;  // from `crossed` on
    Price* to = least(number) + crossed;
    std::fill_n(to, times, search::out_of_reach);
    subsets_.for_each_before(subset, [&](int i, std::size_t before) {
      coset_[number] = coset_[before] ^ flocks_.across(dimension(i));
      const std::size_t first = crossed - 1;
      take_least(to, least(before) + first,
                 links_.prices(link(coset_[before], dimension(i)) + first), times);
    });
    for (std::size_t t = 1; t < times; ++t) to[t] = std::min(to[t], to[t - 1]);
  }

  static void take_least(Price* to, const Price* from, const Price* price, std::size_t times) {
    for (std::size_t t = 0; t < times; ++t) {
      const Price sum = from[t] + price[t];
      to[t] = sum < to[t] ? sum : to[t];
    }
  }

  // Which dimension of the subset is crossed last, in this step.
  int last_of(Word subset, std::uint32_t step) {
    const Price wanted = least(subsets_.number(subset))[step + 1];
    int last = -1;
    subsets_.for_each_before(subset, [&](int i, std::size_t before) {
      const Price price = links_.price(link(coset_[before], dimension(i)) + step);
      if (least(before)[step] + price == wanted) last = i;
    });
    FARO_CHECK(last >= 0);
    return last;
  }

  const Flocks& flocks_;
  Word crossed_;  // dimensions that somebody crosses
  std::uint32_t steps_;
  Random random_;
  search::Negotiation links_;  // of a step and coset
  std::vector<Mover> movers_;
  // Of the flock that chooses: its dimensions; by subset of these the coset, the least prices.
  std::vector<int> order_;
  Subsets subsets_;
  std::vector<Word> coset_;
  std::vector<Price> least_;
};

// Steps in which nobody moves are no steps.
void close_up(FlockWays& ways) {
  std::vector<std::uint32_t> number(ways.steps, 0);
  for (const std::vector<Hop>& hops : ways.hops)
    for (const Hop& hop : hops) number[hop.step] = 1;
  ways.steps = 0;
  for (std::uint32_t& step : number) step = step == 0 ? 0 : ways.steps++;
  for (std::vector<Hop>& hops : ways.hops)
    for (Hop& hop : hops) hop.step = number[hop.step];
}

}  // namespace

std::uint64_t looks_for_all(const Flocks& flocks, std::uint64_t steps) {
  std::uint64_t sum = 0;
  for (const Flock& flock : all_flocks(flocks)) sum += looks_for(flock.left, steps);
  return sum;
}

FlockWays flock_ways(const Flocks& flocks, std::uint64_t enough, const FlockEffort& effort) {
  const std::vector<Flock> all = all_flocks(flocks);
  FlockWays ways = Greedy(flocks, all).run();
  std::uint64_t least = enough;
  for (const std::vector<Hop>& hops : ways.hops)
    least = std::max<std::uint64_t>(least, hops.size());
  std::uint64_t used = 0;
  std::uint64_t given_up = least - 1;
  while (ways.steps > given_up + 1) {
    // A few steps above the least at once, then one by one; where that is given up, halfway back.
    const std::uint64_t steps = given_up < least
                                    ? std::min<std::uint64_t>(ways.steps - 1, least + 4)
                                    : (given_up + ways.steps) / 2;
    const std::uint64_t allowed = ways.steps > least + 2 ? effort.far_above : effort.near;
    const std::uint64_t left = allowed - std::min(used, allowed);
    const std::uint64_t some = steps + 1 == ways.steps ? left : left / 2;
    std::uint64_t looks = some;
    if (!Negotiated(flocks, all, static_cast<std::uint32_t>(steps)).run(ways, looks))
      given_up = steps;
    used += some - looks;
  }
  close_up(ways);
  return ways;
}

}  // namespace faro::inline v1
