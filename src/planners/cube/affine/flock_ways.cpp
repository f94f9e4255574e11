#include "planners/cube/affine/flock_ways.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"
#include "base/working.hpp"
#include "planners/cube/affine/flock_states.hpp"
#include "search/colouring.hpp"
#include "search/matching.hpp"
#include "search/route.hpp"

namespace faro::inline v1 {
namespace {

using Hop = FlockWays::Hop;

// Of a hundred negotiations that end well one needs more.
constexpr std::uint64_t patience = 300;
constexpr std::uint64_t block_most = 128;  // slots that are planned without a smaller part
constexpr std::uint64_t rounds_least = 8;  // of all flocks; less finds nothing

struct Flock {
  std::size_t number;
  Word coset;  // where it is
  Word left;   // dimensions to cross

  std::uint64_t dimensions() const { return static_cast<std::uint64_t>(std::popcount(left)); }
};

// Those in slots without any of these bits.
std::vector<Flock> flocks_without(const Flocks& flocks, Word slot_bits) {
  std::vector<Flock> all;
  for (Word coset = 0; coset < flocks.cosets(); ++coset)
    for (Word slot = 0; slot < flocks.elements(); ++slot)
      if ((slot & slot_bits) == 0)
        all.push_back({static_cast<std::size_t>(coset * flocks.elements() + slot), coset,
                       flocks.away(coset, static_cast<Slot>(slot))});
  return all;
}

// States of flocks that cross as many dimensions of as many kinds share them.
class Kinds {
 public:
  explicit Kinds(const Flocks& flocks) : flocks_(flocks) {
    of_.resize(static_cast<std::size_t>(flocks.dimensions()));
    for (std::size_t kind = 0; kind < flocks.kinds().size(); ++kind)
      for (Word rest = flocks.kinds()[kind]; rest != 0; rest &= rest - 1)
        of_[static_cast<std::size_t>(lowest_bit(rest))] = kind;
  }
  std::size_t of(int dimension) const { return of_[static_cast<std::size_t>(dimension)]; }
  int dimensions(std::size_t kind) const { return std::popcount(flocks_.kinds()[kind]); }
  std::vector<std::size_t> within(Word dimensions) const {
    std::vector<std::size_t> kinds;
    for (std::size_t kind = 0; kind < flocks_.kinds().size(); ++kind)
      if ((flocks_.kinds()[kind] & dimensions) != 0) kinds.push_back(kind);
    return kinds;
  }
  // Orders the kinds as the states know them: large ones first.
  const FlockStates& states(std::vector<std::size_t>& kinds) {
    std::stable_sort(kinds.begin(), kinds.end(), [this](std::size_t a, std::size_t b) {
      return dimensions(a) > dimensions(b);
    });
    std::vector<int> many;
    for (const std::size_t kind : kinds) many.push_back(dimensions(kind));
    const auto known = known_.find(many);
    return known != known_.end() ? known->second : known_.emplace(many, many).first->second;
  }
  // By one flock, with what a search costs beside them.
  std::uint64_t looks_for(Word dimensions, std::uint64_t steps) {
    std::vector<std::size_t> kinds = within(dimensions);
    return 500 + steps * states(kinds).crossings();
  }

 private:
  const Flocks& flocks_;
  std::vector<std::size_t> of_;  // by dimension
  std::map<std::vector<int>, FlockStates> known_;
};

// The highest bits of those from the first on.
Word leads_from(const std::vector<Word>& basis, std::size_t first) {
  Word leads = 0;
  for (std::size_t i = first; i < basis.size(); ++i) leads |= bit(highest_bit(basis[i]));
  return leads;
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
    ways_.hops.resize(flocks.cosets() * flocks.elements());
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
      const int d = ways_.hops[all_[i].number].back().dimension;
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
      ways_.hops[all_[i].number].push_back({ways_.steps, d});
      moved.push_back(i);
    }
  }

  const Flocks& flocks_;
  std::vector<Flock> all_;
  std::vector<std::vector<std::size_t>> waiting_;  // by coset
  search::Matching matching_;                      // of a coset's dimensions
  FlockWays ways_;
};

// Ways of a given number of steps. A channel is a coset and a kind, with room for as many flocks as
// the kind has dimensions: who takes which is coloured in the end.
class Negotiated {
 public:
  Negotiated(const Flocks& flocks, Kinds& kinds, const std::vector<Flock>& all, std::uint32_t steps)
      : flocks_(flocks),
        kinds_(kinds),
        steps_(steps),
        random_(steps),
        links_(rooms(), steps, Links::Beside::steps,
               {.unit = 1, .rounds = {.patience = patience}}) {
    for (const Flock& flock : all)
      if (flock.left != 0) movers_.push_back({flock, kinds.looks_for(flock.left, steps)});
    std::stable_sort(movers_.begin(), movers_.end(), [](const Mover& a, const Mover& b) {
      return std::popcount(a.flock.left) > std::popcount(b.flock.left);
    });
  }

  // Those of `ways` who are in time keep their links to begin with. False if the looks are used up.
  bool run(FlockWays& ways, std::uint64_t& looks) {
    std::vector<search::Way> taken;
    for (const Mover& mover : movers_)
      taken.push_back(places_of(mover.flock.coset, ways.hops[mover.flock.number]));
    bool first = true;
    const bool found = links_.run(
        taken,
        [&](auto& turn) {
          if (!first) random_.mix(turn);
          first = false;
          looks -= std::min<std::uint64_t>(looks, places() / 4 + movers_.size());
        },
        [&](std::size_t i, search::Way& way) {
          const std::uint64_t cost = movers_[i].looks;
          if (looks < cost) return false;
          looks -= cost;
          choose(movers_[i].flock, way);
          return true;
        });
    if (!found) return false;
    colour(taken, ways);
    ways.steps = steps_;
    return true;
  }

 private:
  using Links = search::RouterIn<search::SmallPrice>;
  struct Mover {
    Flock flock;
    std::uint64_t looks;  // for its cheapest way
  };

  std::size_t places() const {
    const std::size_t count = steps_ * flocks_.cosets() * flocks_.kinds().size();
    FARO_CHECK(count <= std::numeric_limits<std::uint32_t>::max());
    return count;
  }
  std::uint32_t channel(Word coset, std::size_t kind) const {
    return static_cast<std::uint32_t>(coset * flocks_.kinds().size() + kind);
  }
  std::vector<std::uint16_t> rooms() const {
    std::vector<std::uint16_t> rooms;
    for (Word coset = 0; coset < flocks_.cosets(); ++coset)
      for (std::size_t kind = 0; kind < flocks_.kinds().size(); ++kind)
        rooms.push_back(static_cast<std::uint16_t>(kinds_.dimensions(kind)));
    return rooms;
  }

  search::Way places_of(Word coset, const std::vector<Hop>& hops) const {
    search::Way way;
    for (const Hop& hop : hops) {
      way.push_back({hop.step, channel(coset, kinds_.of(hop.dimension))});
      coset ^= flocks_.across(hop.dimension);
    }
    return way;
  }

  void choose(const Flock& flock, search::Way& way) {
    still_working();
    order_ = kinds_.within(flock.left);
    random_.mix(order_);  // of equals the first is taken
    const FlockStates& states = kinds_.states(order_);
    coset_.resize(states.size());
    coset_[0] = flock.coset;
    for (std::size_t state = 1; state < states.size(); ++state) {
      const FlockStates::Crossing& by = states.into(state)[0];
      coset_[state] =
          coset_[by.from] ^ flocks_.across(lowest_bit(flocks_.kinds()[order_[by.kind]]));
    }
    finder_.find(
        links_, states,
        [this](const FlockStates::Crossing& by) {
          return channel(coset_[by.from], order_[by.kind]);
        },
        way);
    FARO_CHECK(!way.empty());
  }

  // König: a flock crosses as many of a kind, and as many flocks cross it at one place and step, as
  // the kind has dimensions.
  void colour(const std::vector<search::Way>& taken, FlockWays& ways) const {
    const auto kinds = static_cast<std::uint32_t>(flocks_.kinds().size());
    for (std::size_t i = 0; i < taken.size(); ++i) {
      std::vector<Hop>& hops = ways.hops[movers_[i].flock.number];
      hops.clear();
      for (const search::Place at : taken[i])
        hops.push_back({at.step, lowest_bit(flocks_.kinds()[at.channel % kinds])});
    }
    for (std::uint32_t kind = 0; kind < kinds; ++kind) {
      if (kinds_.dimensions(kind) == 1) continue;
      std::vector<search::Edge> edges;
      std::vector<Hop*> coloured;
      for (std::size_t i = 0; i < taken.size(); ++i)
        for (std::size_t h = 0; h < taken[i].size(); ++h) {
          const search::Place at = taken[i][h];
          if (at.channel % kinds != kind) continue;
          edges.push_back({static_cast<std::uint32_t>(i), at.channel / kinds * steps_ + at.step});
          coloured.push_back(&ways.hops[movers_[i].flock.number][h]);
        }
      std::vector<int> dimensions;
      for (Word rest = flocks_.kinds()[kind]; rest != 0; rest &= rest - 1)
        dimensions.push_back(lowest_bit(rest));
      const auto nodes = std::max<std::uint64_t>(taken.size(), flocks_.cosets() * steps_);
      const std::vector<std::uint32_t> colours = search::edge_colours(
          edges, static_cast<std::uint32_t>(nodes), static_cast<std::uint32_t>(dimensions.size()));
      for (std::size_t i = 0; i < coloured.size(); ++i)
        coloured[i]->dimension = dimensions[colours[i]];
    }
  }

  const Flocks& flocks_;
  Kinds& kinds_;
  std::uint32_t steps_;
  Random random_;
  Links links_;
  std::vector<Mover> movers_;
  search::OrderedWays<search::SmallPrice> finder_;
  // Of the flock that chooses: its kinds, and by state the coset.
  std::vector<std::size_t> order_;
  std::vector<Word> coset_;
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

// Flocks of a part of the slots, then of twice as many, to those of all. Part d are the slots
// without the highest bits of those alike from the d-th on.
class Search {
 public:
  Search(const Flocks& flocks, std::uint64_t enough, const FlockEffort& effort)
      : flocks_(flocks),
        alike_(flocks.alike_slots()),
        kinds_(flocks),
        above_(enough - std::min(enough, flocks.elements() / 2)),
        effort_(effort) {}

  // Whether all flocks of the first part can look for ways several times.
  bool hopeful() {
    const std::size_t doublings = first_part();
    return hopeful(flocks_of(doublings), slots_of(doublings) / 2);
  }

  FlockWays run() {
    std::size_t doublings = first_part();
    FlockWays ways = Greedy(flocks_, flocks_of(doublings)).run();
    for (; doublings < alike_.size(); ++doublings) {
      improve(doublings, {.near = effort_.near / 16, .far_above = effort_.near}, ways);
      if (!doubled(doublings, ways)) ways = Greedy(flocks_, flocks_of(doublings + 1)).run();
    }
    improve(doublings, effort_, ways);
    return ways;
  }

 private:
  bool hopeful(const std::vector<Flock>& all, std::uint64_t steps) {
    std::uint64_t looks = 0;
    for (const Flock& flock : all)
      looks += kinds_.looks_for(flock.left, std::max<std::uint64_t>(steps, flock.dimensions()));
    return looks <= effort_.near / rounds_least;
  }
  std::uint64_t slots_of(std::size_t doublings) const {
    return flocks_.elements() >> (alike_.size() - doublings);
  }
  // As many doublings as make no more slots than are planned at once, or none.
  std::size_t first_part() const {
    std::size_t doublings = alike_.size();
    while (doublings > 0 && slots_of(doublings) > block_most) --doublings;
    return doublings;
  }
  std::vector<Flock> flocks_of(std::size_t doublings) const {
    return flocks_without(flocks_, leads_from(alike_, doublings));
  }

  // Ways of so many steps, found with so many looks at most, or with what is left of all.
  bool negotiated(const std::vector<Flock>& all, std::uint64_t steps, std::uint64_t looks,
                  FlockWays& ways) {
    std::uint64_t left = std::min(looks, effort_.far_above - used_);
    used_ += left;
    const bool found =
        Negotiated(flocks_, kinds_, all, static_cast<std::uint32_t>(steps)).run(ways, left);
    used_ -= left;
    return found;
  }

  // The ways of half of the slots, then the same again for the others: where the first end while
  // the second begin some choose anew.
  bool doubled(std::size_t doublings, FlockWays& ways) {
    const std::vector<Flock> all = flocks_of(doublings + 1);
    for (std::uint64_t wait = 0; wait <= 2; ++wait) {
      FlockWays twice = ways;
      twice_over(alike_[doublings], slots_of(doublings) / 2 + wait, twice);
      if (!negotiated(all, twice.steps, effort_.near / (wait == 0 ? 1 : 2), twice)) continue;
      ways = std::move(twice);
      return true;
    }
    return false;
  }

  // The same again in other slots, later.
  void twice_over(Word other, std::uint64_t later, FlockWays& ways) const {
    for (std::size_t i = 0; i < ways.hops.size(); ++i) {
      std::vector<Hop>& again = ways.hops[i ^ other];
      if (ways.hops[i].empty() || !again.empty()) continue;
      for (const Hop& hop : ways.hops[i])
        again.push_back({hop.step + static_cast<std::uint32_t>(later), hop.dimension});
    }
    ways.steps += static_cast<std::uint32_t>(later);
  }

  void improve(std::size_t doublings, const FlockEffort& effort, FlockWays& ways) {
    const std::vector<Flock> all = flocks_of(doublings);
    std::uint64_t least = slots_of(doublings) / 2 + above_;
    for (const Flock& flock : all) least = std::max<std::uint64_t>(least, flock.dimensions());
    if (!hopeful(all, least)) return;
    const std::uint64_t before = used_;
    std::uint64_t given_up = least - 1;
    while (ways.steps > given_up + 1) {
      // A few steps above the least at once, then one by one; where that is given up, halfway back.
      const std::uint64_t steps = given_up < least
                                      ? std::min<std::uint64_t>(ways.steps - 1, least + 4)
                                      : (given_up + ways.steps) / 2;
      const std::uint64_t allowed = ways.steps > least + 2 ? effort.far_above : effort.near;
      const std::uint64_t left = allowed - std::min(used_ - before, allowed);
      if (!negotiated(all, steps, steps + 1 == ways.steps ? left : left / 2, ways))
        given_up = steps;
    }
  }

  const Flocks& flocks_;
  const std::vector<Word>& alike_;
  Kinds kinds_;
  std::uint64_t above_;  // what the steps are more than K/2 at least
  FlockEffort effort_;
  std::uint64_t used_ = 0;  // looks
};

}  // namespace

bool within(const FlockEffort& effort, const Flocks& flocks) {
  return Search(flocks, 0, effort).hopeful();
}

FlockWays flock_ways(const Flocks& flocks, std::uint64_t enough, const FlockEffort& effort) {
  FlockWays ways = Search(flocks, enough, effort).run();
  close_up(ways);
  return ways;
}

}  // namespace faro::inline v1
