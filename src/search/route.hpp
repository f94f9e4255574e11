// The one router: units go from state to state in steps, and share out what they cross by prices.
//
//   unit      what goes as one: an element, or elements that do alike
//   state     where a unit is, or what it has done: a processor; the dimensions crossed so far
//   channel   what a unit takes for a step as it goes from a state to another, or rests: a link, a
//             coupler, a port, a register. Waiting that takes no channel is free
//   place     a channel in one step; it has room for so many units
//   way       of a unit: the places that it takes, steps ascending
//
//   line 0 - 1 - 2, channel 0 from 0 to 1, channel 1 from 1 to 2, two steps; unit a from 0 to 2,
//   unit b from 1 to 2. There is one way for a: (step 0, channel 0), (step 1, channel 1). b waits
//   for step 1 too, and one place has two users; it becomes dearer, b chooses (step 0, channel 1).
//
// A machine says what its channels are, their rooms, and how a unit chooses: by one of the two
// finders of a cheapest way below, or by looking at the few ways that there are. The rounds are
// McMurchie and Ebeling's PathFinder (1995), which routes circuits: everybody takes the cheapest
// way; a place that more want than it has room for becomes dearer, for the moment with every
// further one and for good with every round that it stays crowded; those in crowded places choose
// again, round after round, until no place is crowded.
//
// Prices are whole numbers: the same ways with every compiler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "base/check.hpp"

namespace faro::inline v1::search {

using Price = std::uint64_t;
constexpr Price out_of_reach = std::numeric_limits<Price>::max() / 2;  // two can be added

struct Place {
  std::uint32_t step = 0;
  std::uint32_t channel = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
using Way = std::vector<Place>;

struct Rounds {
  int most = std::numeric_limits<int>::max();
  // Rounds that may go by without fewer choosing again than ever before, 1 + 10/(those) times as
  // many; 0: any number.
  std::uint64_t patience = 0;
};

// Rounds over `prices`, which has take(way), leave(way), crowded(way) and, for the end of a round,
// remember_crowding(): whether a place is crowded, which makes it dearer from now on. Ways that are
// there already are taken, and kept while they are not crowded. `order` may change whose turn is
// when before every round. choose(i, way) fills the cheapest way; false ends the search. True if no
// place is crowded in the end.
template <class Prices, class Order, class Choose>
bool negotiate(Prices& prices, const Rounds& rounds, std::vector<Way>& ways, Order&& order,
               Choose&& choose) {
  std::vector<std::size_t> turn(ways.size());
  std::iota(turn.begin(), turn.end(), std::size_t{0});
  std::uint64_t fewest = ~std::uint64_t{0};
  std::uint64_t waited = 0;
  for (const Way& way : ways) prices.take(way);
  for (int round = 0; round < rounds.most; ++round) {
    std::uint64_t chosen = 0;
    order(turn);
    for (const std::size_t i : turn) {
      Way& way = ways[i];
      if (!way.empty() && !prices.crowded(way)) continue;
      prices.leave(way);
      way.clear();
      if (!choose(i, way)) return false;
      prices.take(way);
      ++chosen;
    }
    if (!prices.remember_crowding()) return true;
    waited = chosen < fewest ? 0 : waited + 1;
    fewest = std::max<std::uint64_t>(std::min(fewest, chosen), 1);
    if (rounds.patience != 0 && waited > rounds.patience + 10 * rounds.patience / fewest)
      return false;
  }
  return false;
}

// Places with a room and a price each: (1 + what was paid for crowding) · (1 + pressure · users
// above the room, the one who asks included).
class Router {
 public:
  struct Terms {
    std::uint32_t pressure = 100;  // of the first round, in hundredths
    std::uint32_t growth = 0;      // hundredths that a round adds to it
    std::uint32_t times = 100;     // hundredths by which a round multiplies it
    std::uint32_t unit = 1024;     // of a price
    Rounds rounds = {};
  };
  // Whose prices lie side by side: those of a channel, or those of a step.
  enum class Beside { steps, channels };

  // Channel i has room for rooms[i] in every step.
  Router(const std::vector<std::uint16_t>& rooms, std::size_t steps, Beside beside,
         const Terms& terms)
      : terms_(terms),
        steps_(steps),
        of_step_(beside == Beside::steps ? 1 : rooms.size()),
        of_channel_(beside == Beside::steps ? steps : 1),
        seats_(rooms.size() * steps),
        prices_(seats_.size()),
        pressure_(hundredths(terms.pressure)) {
    for (std::size_t channel = 0; channel < rooms.size(); ++channel)
      for (std::size_t t = 0; t < steps; ++t)
        seats_[channel * of_channel_ + t * of_step_].room = rooms[channel];
    set_prices();
  }

  std::size_t steps() const { return steps_; }
  Price price(Place place) const { return prices_[at(place)]; }
  // Of a place and those behind it.
  const Price* prices(Place place) const { return prices_.data() + at(place); }

  void take(const Way& way) {
    for (const Place place : way) ++seats_[at(place)].users, set_price(at(place));
  }
  void leave(const Way& way) {
    for (const Place place : way) --seats_[at(place)].users, set_price(at(place));
  }
  bool crowded(const Way& way) const {
    return std::any_of(way.begin(), way.end(), [this](Place place) {
      return seats_[at(place)].users > seats_[at(place)].room;
    });
  }

  // As above. Ways that end too late are none.
  template <class Order, class Choose>
  bool run(std::vector<Way>& ways, Order&& order, Choose&& choose) {
    for (Way& way : ways)
      if (!way.empty() && way.back().step >= steps_) way.clear();
    return negotiate(*this, terms_.rounds, ways, order, choose);
  }

  bool remember_crowding() {
    bool crowded = false;
    for (std::size_t i = 0; i < seats_.size(); ++i) {
      Seat& seat = seats_[i];
      if (seat.users <= seat.room) continue;
      seat.history += static_cast<std::uint32_t>(seat.users - seat.room);
      set_price(i);
      crowded = true;
    }
    const Price before = pressure_;
    pressure_ = std::min(most, pressure_ * terms_.times / 100 + hundredths(terms_.growth));
    if (crowded && pressure_ != before) set_prices();
    return crowded;
  }

 private:
  struct Seat {
    std::uint16_t room = 1;
    std::uint16_t users = 0;
    std::uint32_t history = 0;
  };
  static constexpr Price most = Price{1} << 32U;       // of the pressure
  static constexpr Price dearest = out_of_reach / 64;  // of a place

  std::size_t at(Place place) const { return place.channel * of_channel_ + place.step * of_step_; }
  Price hundredths(Price number) const { return number * terms_.unit / 100; }

  void set_price(std::size_t i) {
    const Seat& s = seats_[i];
    const Price over = s.users < s.room ? 0 : Price{s.users} + 1 - s.room;
    const Price price = (1 + Price{s.history}) * (terms_.unit + pressure_ * over);
    prices_[i] = std::min(price, dearest);
  }
  void set_prices() {
    for (std::size_t i = 0; i < seats_.size(); ++i) set_price(i);
  }

  Terms terms_;
  std::size_t steps_;
  std::size_t of_step_;  // from a place to that of the next step
  std::size_t of_channel_;
  std::vector<Seat> seats_;
  std::vector<Price> prices_;
  Price pressure_;
};

// Cheapest ways over any states, step by step. machine.in_step(t) says what there is in step t:
//
//   reaches(p)        false where a unit in p is too far from either end to matter
//   rest(p)           what waiting in p costs, and rests(p) which channel it takes, if any
//   first(p), end(p)  the numbers of the crossings from p; of each to(c), channel(c), price(c)
//
// Of equal ways the one that waits longest, then the first crossing.
class StepwiseWays {
 public:
  StepwiseWays(std::size_t states, std::size_t steps)
      : states_(states), steps_(steps), cost_((steps + 1) * states) {}

  // False where `to` cannot be reached in time.
  template <class Machine>
  bool find(const Machine& machine, std::size_t from, std::size_t to, Way& way) {
    Price* next = &cost_[steps_ * states_];
    std::fill(next, next + states_, out_of_reach);
    next[to] = 0;
    for (std::size_t t = steps_; t-- > 0; next -= states_) {
      const auto step = machine.in_step(t);
      Price* now = next - states_;
      for (std::size_t p = 0; p < states_; ++p) {
        Price best = out_of_reach;
        if (step.reaches(p)) {
          const Price rests = next[p] + step.rest(p);
          best = rests < best ? rests : best;
          for (std::size_t c = step.first(p), end = step.end(p); c < end; ++c) {
            const Price goes = next[step.to(c)] + step.price(c);
            best = goes < best ? goes : best;
          }
        }
        now[p] = best;
      }
    }
    if (cost_[from] >= out_of_reach) return false;
    walk(machine, from, way);
    return true;
  }

 private:
  template <class Machine>
  void walk(const Machine& machine, std::size_t p, Way& way) const {
    way.clear();
    for (std::size_t t = 0; t < steps_; ++t) {
      const auto step = machine.in_step(t);
      const Price here = cost_[t * states_ + p];
      const Price* next = &cost_[(t + 1) * states_];
      std::optional<std::size_t> channel = step.rests(p);
      if (next[p] + step.rest(p) > here) {
        std::size_t c = step.first(p);
        while (next[step.to(c)] + step.price(c) != here) ++c;
        channel = step.channel(c);
        p = step.to(c);
      }
      if (channel)
        way.push_back({static_cast<std::uint32_t>(t), static_cast<std::uint32_t>(*channel)});
    }
  }

  std::size_t states_;
  std::size_t steps_;
  std::vector<Price> cost_;  // from (step, state) on
};

// Cheapest of the shortest ways through a box, whatever the steps: so many crossings along each
// axis, in any order. On a mesh an axis is a dimension, with the links between the two ends of a
// unit; the box of a cube has one crossing along each dimension that differs. Of equal ways the one
// whose last cells come first, axis 0 counted first.
class BoxWays {
 public:
  // box.channel(state, axis) is what a crossing takes, box.price(channel) what that costs,
  // box.across(state, axis) where it leads. Fills the channels of the way, gives its price.
  template <class Box>
  Price find(const std::vector<std::size_t>& lengths, std::uint64_t from, const Box& box,
             std::vector<std::uint32_t>& channels) {
    strides_.clear();
    std::size_t cells = 1;
    std::size_t crossings = 0;
    for (const std::size_t length : lengths) {
      strides_.push_back(cells);
      cells *= length + 1;
      crossings += length;
    }
    done_.assign(lengths.size(), 0);
    cells_.assign(cells, {});
    cells_[0] = {0, from, 0, 0};
    for (std::size_t c = 0; c < cells; ++c) {
      const Cell here = cells_[c];
      for (std::uint32_t k = 0; k < lengths.size(); ++k) {
        if (done_[k] == lengths[k]) continue;
        const std::uint32_t channel = box.channel(here.at, k);
        const Price paid = here.paid + box.price(channel);
        Cell& there = cells_[c + strides_[k]];
        if (paid < there.paid) there = {paid, box.across(here.at, k), channel, k};
      }
      for (std::size_t k = 0; k < lengths.size() && done_[k]++ == lengths[k]; ++k) done_[k] = 0;
    }
    channels.resize(crossings);
    for (std::size_t c = cells - 1; crossings > 0; c -= strides_[cells_[c].axis])
      channels[--crossings] = cells_[c].channel;
    return cells_.back().paid;
  }

 private:
  struct Cell {
    Price paid = std::numeric_limits<Price>::max();
    std::uint64_t at = 0;
    std::uint32_t channel = 0;  // of the crossing into it
    std::uint32_t axis = 0;
  };
  std::vector<std::size_t> strides_;
  std::vector<std::size_t> done_;  // along each axis
  std::vector<Cell> cells_;
};

}  // namespace faro::inline v1::search
