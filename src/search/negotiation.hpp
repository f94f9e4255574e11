// Places that several want, shared out by prices: McMurchie and Ebeling's PathFinder (1995), which
// routes circuits. Everybody takes the cheapest way; a place that more want than it has room for
// becomes dearer, for the moment with every further one and for good with every round that it stays
// crowded; those in crowded places choose again, round after round, until no place is crowded.
//
//   two ways of prices 1 and 2, two travellers: both take the first, it rises to 3, one moves
//
// Prices are whole numbers: the same ways with every compiler.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace faro::inline v1::search {

using Price = std::uint64_t;
using SmallPrice = std::int32_t;  // of short ways: many are added and compared at once
// Two of them can be added.
template <class Number>
constexpr Number out_of_reach_in = std::numeric_limits<Number>::max() / 2;
constexpr Price out_of_reach = out_of_reach_in<Price>;

// The places that somebody takes, in any order.
using Way = std::vector<std::uint32_t>;

template <class Number>
class NegotiationIn {
 public:
  // sum:      what was paid for crowding + pressure · users; a place that nobody wants is free
  // product:  (1 + that) · (1 + pressure · users above the room, the one who asks included)
  enum class Rise { sum, product };
  struct Terms {
    Rise rise = Rise::product;
    std::uint32_t pressure = 100;  // of the first round, in hundredths
    std::uint32_t growth = 0;      // hundredths that a round adds to it
    std::uint32_t times = 100;     // hundredths by which a round multiplies it
    std::uint32_t unit = 1024;     // of a price in products
    bool everybody = false;        // chooses in every round, not only those in crowded places
    int rounds = 1;
    // Rounds that may go by without fewer choosing again than ever before, 1 + 10/(those) times as
    // many; 0: any number.
    std::uint64_t patience = 0;
  };

  // Place i has room for rooms[i].
  NegotiationIn(std::vector<std::uint16_t> rooms, const Terms& terms)
      : terms_(terms),
        places_(rooms.size()),
        prices_(rooms.size()),
        pressure_(hundredths(terms.pressure)) {
    for (std::size_t i = 0; i < rooms.size(); ++i) places_[i].room = rooms[i];
    set_prices();
  }

  Number price(std::size_t place) const { return prices_[place]; }
  // Of `place` and those behind it.
  const Number* prices(std::size_t place) const { return &prices_[place]; }

  void take(const Way& way) {
    for (const std::uint32_t place : way) ++places_[place].users, set_price(place);
  }
  void leave(const Way& way) {
    for (const std::uint32_t place : way) --places_[place].users, set_price(place);
  }
  bool crowded(const Way& way) const {
    return std::any_of(way.begin(), way.end(),
                       [this](std::uint32_t i) { return places_[i].users > places_[i].room; });
  }

  // Ways that are there already are taken, and kept while they are not crowded. `order`
  // may change whose turn is when before every round. choose(i, way) fills the cheapest way at
  // price(); false ends the search. True if no place is crowded in the end.
  template <class Order, class Choose>
  bool run(std::vector<Way>& ways, Order&& order, Choose&& choose) {
    std::vector<std::size_t> turn(ways.size());
    std::iota(turn.begin(), turn.end(), std::size_t{0});
    std::uint64_t fewest = ~std::uint64_t{0};
    std::uint64_t waited = 0;
    for (const Way& way : ways) take(way);
    for (int round = 0; round < terms_.rounds; ++round) {
      std::uint64_t chosen = 0;
      order(turn);
      for (const std::size_t i : turn) {
        Way& way = ways[i];
        if (!terms_.everybody && !way.empty() && !crowded(way)) continue;
        leave(way);
        way.clear();
        if (!choose(i, way)) return false;
        take(way);
        ++chosen;
      }
      if (!remember_crowding()) return true;
      waited = chosen < fewest ? 0 : waited + 1;
      fewest = std::max<std::uint64_t>(std::min(fewest, chosen), 1);
      if (terms_.patience != 0 && waited > terms_.patience + 10 * terms_.patience / fewest)
        return false;
    }
    return false;
  }

 private:
  struct Place {
    std::uint16_t room = 1;
    std::uint16_t users = 0;
    std::uint32_t history = 0;
  };
  static constexpr Price most = Price{1} << 32U;                  // of the pressure
  static constexpr Price dearest = out_of_reach_in<Number> / 64;  // of a place

  Price hundredths(Price number) const {
    return terms_.rise == Rise::sum ? number / 100 : number * terms_.unit / 100;
  }

  void set_price(std::size_t i) {
    const Place& p = places_[i];
    Price price = 0;
    if (terms_.rise == Rise::sum) {
      price = p.history + pressure_ * p.users;
    } else {
      const Price over = p.users < p.room ? 0 : Price{p.users} + 1 - p.room;
      price = (1 + Price{p.history}) * (terms_.unit + pressure_ * over);
    }
    prices_[i] = static_cast<Number>(std::min(price, dearest));
  }
  void set_prices() {
    for (std::size_t i = 0; i < places_.size(); ++i) set_price(i);
  }

  // The end of a round: whether a place is crowded, which makes it dearer from now on.
  bool remember_crowding() {
    bool crowded = false;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      Place& p = places_[i];
      if (p.users <= p.room) continue;
      p.history += static_cast<std::uint32_t>(p.users - p.room);
      set_price(i);
      crowded = true;
    }
    const Price before = pressure_;
    pressure_ = std::min(most, pressure_ * terms_.times / 100 + hundredths(terms_.growth));
    if (crowded && pressure_ != before) set_prices();
    return crowded;
  }

  Terms terms_;
  std::vector<Place> places_;
  std::vector<Number> prices_;
  Price pressure_;
};
using Negotiation = NegotiationIn<Price>;

}  // namespace faro::inline v1::search
