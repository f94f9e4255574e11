// The search for routes between groups by tabu moves, over one table of loads.
//
//   LoadSearch search(demand, k, seed);   all data straight
//   search.relieve();                     what overloads its coupler goes over some relay group
//   if (search.solve(moves)) search.take()
//
// A coupler (i, j) carries straight data of the pair, first hops i -> j and second hops i -> j. Its
// excess is what it carries beyond k, beyond k-1 first hops and beyond k-1 second hops; the routes
// are good when no coupler has any. What one more first or second hop would add, 0 to 2, and how
// many more fit are kept by sending and by receiving group, so that looking at all relay groups of
// a pair is one pass over two rows of bytes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "machines/pops/bounds.hpp"
#include "planners/pops/loads.hpp"

namespace faro::inline v1::pops {

// A route that was left is tabu for so many moves, and a random number below the second more.
inline constexpr std::uint64_t tabu_min = 4;
inline constexpr std::uint64_t tabu_range = 10;

class LoadSearch {
 public:
  LoadSearch(const PopsDemand& demand, std::uint32_t k, std::uint64_t seed);

  // Takes routes of a smaller demand for two data each; before anything else.
  void follow_twice(const std::vector<Route>& routes);

  // Data beyond k on their own coupler go to the relay group with most slack, a datum of each pair
  // at a time.
  void relieve();

  // Re-routes one datum of a bad coupler at a time, to where that lowers the excess most; the old
  // route is tabu for some moves. Ends after so many moves, or `patience` of them that came no
  // nearer. True as soon as no coupler has excess. Once.
  bool solve(std::uint64_t moves, std::uint64_t patience);
  std::uint64_t moves() const { return moves_; }  // that it took

  std::vector<Route> take() { return std::move(routes_); }

 private:
  using Int = std::int32_t;
  struct Load {
    Int direct = 0;
    Int first = 0;
    Int second = 0;
    Int all() const { return direct + first + second; }
  };
  struct Place {  // of a datum in the lists of its one or two couplers
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };
  // The least damage among all routes of a datum, and how many routes do that.
  struct Choice {
    std::uint32_t harm = 0;
    std::uint32_t ties = 0;
    bool may_go_straight = false;  // it is among the ties
  };
  struct Tabu {
    Route route;
    std::uint64_t until = 0;
  };

  std::uint32_t at(std::uint32_t from, std::uint32_t to) const { return from * g_ + to; }
  Int excess_of(const Load& l) const;
  void update(std::uint32_t from, std::uint32_t to);
  void load(const Route& route, Int by);
  void list(std::uint32_t r);
  void unlist(std::uint32_t r);
  void reroute(Route& route, std::uint32_t over);
  std::uint32_t roomiest(std::uint32_t from, std::uint32_t to, std::uint32_t turn) const;
  void note(std::uint32_t c);
  int harm_of(const Route& route) const;
  Choice look(const Route& route) const;
  std::uint32_t pick(const Route& route, const Choice& choice);
  void bar(const Route& route, std::uint64_t move);
  void unbar();
  void step(std::uint64_t move);

  std::uint32_t g_;
  Int k_;
  std::uint64_t moves_ = 0;
  Random random_;
  std::vector<Load> load_;
  std::vector<Route> routes_;         // by pair of groups
  std::vector<std::uint32_t> begin_;  // of a pair's routes
  // In solve: the data that cross a coupler, and where they stand there.
  std::vector<std::vector<std::uint32_t>> crossing_;
  std::vector<Place> places_;
  // By sending group and relay, by receiving group and relay.
  std::vector<std::uint8_t> first_harm_;
  std::vector<std::uint8_t> second_harm_;
  std::vector<std::uint8_t> first_room_;
  std::vector<std::uint8_t> second_room_;
  std::vector<std::uint32_t> bad_;
  std::vector<std::uint32_t> where_bad_;
  std::vector<Tabu> tabu_;
  std::vector<std::pair<std::uint32_t, std::uint8_t>> barred_;  // where in first_harm_, and what
  bool straight_barred_ = false;
};

}  // namespace faro::inline v1::pops
