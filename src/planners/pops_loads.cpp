#include "faro/planners/pops_loads.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "faro/base/random.hpp"

namespace faro::pops {
namespace {

using Int = std::int32_t;

// From this many slots on a doubled plan for half the demand is a good start.
constexpr std::uint32_t halving_slots_min = 16;
constexpr std::uint64_t samples = 6;  // data of a bad coupler that are tried for re-routing
constexpr std::uint64_t start_work_max = 100'000'000;  // routes looked at: about half a second
constexpr std::uint64_t tabu_min = 4;
constexpr std::uint64_t tabu_range = 10;

// Loads of all couplers and where every datum goes.
class Search {
 public:
  Search(const PopsDemand& demand, std::uint32_t k, std::uint64_t seed)
      : g_(static_cast<std::uint32_t>(demand.groups())),
        k_(static_cast<Int>(k)),
        random_(seed * 0x9e3779b9U + k),
        load_(std::size_t{g_} * g_),
        crossing_(std::size_t{g_} * g_) {
    for (std::uint32_t i = 0; i < g_; ++i)
      for (std::uint32_t j = 0; j < g_; ++j)
        for (std::int64_t u = 0; u < demand(i, j); ++u) routes_.push_back({i, j, straight});
    places_.resize(routes_.size());
    for (std::uint32_t r = 0; r < routes_.size(); ++r) enter(r);
  }

  // As far as possible the routes given: data of the same pairs, in any order.
  void start_from(const std::vector<Route>& given) {
    std::vector<std::uint32_t> next(std::size_t{g_} * g_, 0);
    for (std::uint32_t r = 0; r < routes_.size(); ++r) {
      std::uint32_t& first = next[at(routes_[r].from, routes_[r].to)];
      if (first == 0) first = r + 1;
    }
    for (const Route& route : given) {
      std::uint32_t& r = next[at(route.from, route.to)];
      change(r - 1, route.over);
      ++r;
    }
  }

  // Data beyond k on their own coupler to the relay group with most slack.
  void relieve() {
    std::vector<std::uint32_t> couplers(load_.size());
    for (std::uint32_t c = 0; c < couplers.size(); ++c) couplers[c] = c;
    for (std::size_t i = couplers.size(); i > 1; --i)
      std::swap(couplers[i - 1], couplers[random_.below(i)]);
    std::uint32_t turn = 0;
    for (const std::uint32_t c : couplers)
      while (load_[c].all() > k_) {
        const auto r = straight_on(c);
        if (r == routes_.size()) break;
        std::uint32_t best = straight;
        Int most = 0;
        for (std::uint32_t step = 0; step < g_; ++step) {
          const std::uint32_t x = (turn + step) % g_;
          if (x == routes_[r].from || x == routes_[r].to) continue;
          const Int slack =
              std::min(slack_first(at(routes_[r].from, x)), slack_second(at(x, routes_[r].to)));
          if (slack > most) most = slack, best = x;
        }
        if (best == straight) break;
        turn = (best + 1) % g_;
        change(static_cast<std::uint32_t>(r), best);
      }
  }

  bool solve(std::uint64_t moves) {
    for (std::uint32_t c = 0; c < load_.size(); ++c) note(c);
    tabu_.clear();
    for (std::uint64_t move = 0; move < moves && !bad_.empty(); ++move) step(move);
    return bad_.empty();
  }

  std::vector<Route> take() { return std::move(routes_); }

 private:
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

  std::uint32_t at(std::uint32_t from, std::uint32_t to) const { return from * g_ + to; }
  Int slack_first(std::uint32_t c) const {
    return std::min(k_ - 1 - load_[c].first, k_ - load_[c].all());
  }
  Int slack_second(std::uint32_t c) const {
    return std::min(k_ - 1 - load_[c].second, k_ - load_[c].all());
  }
  Int excess(const Load& l) const {
    return std::max(0, l.all() - k_) + std::max(0, l.first - (k_ - 1)) +
           std::max(0, l.second - (k_ - 1));
  }

  std::size_t straight_on(std::uint32_t c) {
    // Lists end with what came last; straight data of a fresh start are all there is.
    for (std::size_t i = crossing_[c].size(); i-- > 0;)
      if (routes_[crossing_[c][i]].over == straight) return crossing_[c][i];
    return routes_.size();
  }

  // Adds datum r to the couplers of its route.
  void enter(std::uint32_t r) {
    const Route& route = routes_[r];
    const auto list = [&](std::uint32_t c) {
      crossing_[c].push_back(r);
      return static_cast<std::uint32_t>(crossing_[c].size() - 1);
    };
    if (route.over == straight) {
      ++load_[at(route.from, route.to)].direct;
      places_[r].first = list(at(route.from, route.to));
      return;
    }
    ++load_[at(route.from, route.over)].first;
    ++load_[at(route.over, route.to)].second;
    places_[r].first = list(at(route.from, route.over));
    places_[r].second = list(at(route.over, route.to));
  }

  void unlist(std::uint32_t c, std::uint32_t place) {
    const std::uint32_t last = crossing_[c].back();
    crossing_[c][place] = last;
    crossing_[c].pop_back();
    const Route& route = routes_[last];
    const bool second = route.over != straight && c == at(route.over, route.to);
    (second ? places_[last].second : places_[last].first) = place;
  }

  void leave(std::uint32_t r) {
    const Route& route = routes_[r];
    if (route.over == straight) {
      --load_[at(route.from, route.to)].direct;
      unlist(at(route.from, route.to), places_[r].first);
      return;
    }
    --load_[at(route.from, route.over)].first;
    --load_[at(route.over, route.to)].second;
    unlist(at(route.from, route.over), places_[r].first);
    unlist(at(route.over, route.to), places_[r].second);
  }

  void change(std::uint32_t r, std::uint32_t over) {
    leave(r);
    routes_[r].over = over;
    enter(r);
  }

  // Keeps the list of bad couplers: where_bad_ is the place in it, plus 1.
  void note(std::uint32_t c) {
    if (where_bad_.empty()) where_bad_.assign(load_.size(), 0);
    const bool is_bad = excess(load_[c]) > 0;
    std::uint32_t& where = where_bad_[c];
    if (is_bad && where == 0) {
      bad_.push_back(c);
      where = static_cast<std::uint32_t>(bad_.size());
    } else if (!is_bad && where != 0) {
      bad_[where - 1] = bad_.back();
      where_bad_[bad_.back()] = where;
      bad_.pop_back();
      where = 0;
    }
  }

  // What a route adds to the excess, its datum taken off all couplers.
  Int damage(std::uint32_t from, std::uint32_t to, std::uint32_t over) const {
    const auto added = [&](std::uint32_t c, Int Load::*part) {
      Load l = load_[c];
      ++(l.*part);
      return excess(l) - excess(load_[c]);
    };
    if (over == straight) return added(at(from, to), &Load::direct);
    return added(at(from, over), &Load::first) + added(at(over, to), &Load::second);
  }

  bool is_tabu(const Route& route, std::uint32_t over, std::uint64_t move) const {
    for (const auto& [tabu, until] : tabu_)
      if (until > move && tabu.from == route.from && tabu.to == route.to && tabu.over == over)
        return true;
    return false;
  }

  void step(std::uint64_t move) {
    const std::uint32_t c = bad_[random_.below(bad_.size())];
    Int least = std::numeric_limits<Int>::max();
    std::uint32_t datum = 0;
    std::uint32_t over = straight;
    std::uint64_t ties = 0;
    for (std::uint64_t s = 0; s < samples; ++s) {
      const std::uint32_t r = crossing_[c][random_.below(crossing_[c].size())];
      const Route route = routes_[r];
      leave(r);
      for (std::uint32_t x = 0; x <= g_; ++x) {
        const std::uint32_t via = x == g_ ? straight : x;
        if (via == route.over || via == route.from || via == route.to) continue;
        if (is_tabu(route, via, move)) continue;
        const Int harm = damage(route.from, route.to, via);
        if (harm > least) continue;
        ties = harm < least ? 1 : ties + 1;
        if (harm < least || random_.below(ties) == 0) {
          least = harm;
          datum = r;
          over = via;
        }
      }
      enter(r);
    }
    if (ties == 0) return;
    const Route old = routes_[datum];
    std::erase_if(tabu_, [move](const auto& entry) { return entry.second <= move; });
    tabu_.push_back({old, move + tabu_min + random_.below(tabu_range)});
    change(datum, over);
    for (const Route& route : {old, routes_[datum]}) {
      if (route.over == straight) {
        note(at(route.from, route.to));
      } else {
        note(at(route.from, route.over));
        note(at(route.over, route.to));
      }
    }
  }

  std::uint32_t g_;
  Int k_;
  Random random_;
  std::vector<Load> load_;
  std::vector<std::vector<std::uint32_t>> crossing_;
  std::vector<Route> routes_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> bad_;
  std::vector<std::uint32_t> where_bad_;
  std::vector<std::pair<Route, std::uint64_t>> tabu_;
};

PopsDemand halved(const PopsDemand& demand) {
  PopsDemand half(demand.groups());
  for (std::size_t i = 0; i < demand.groups(); ++i)
    for (std::size_t j = 0; j < demand.groups(); ++j) half(i, j) = demand(i, j) / 2;
  return half;
}

// Twice the routes of half the demand, which must have been solved.
std::optional<std::vector<Route>> doubled(const PopsDemand& demand, std::uint32_t k,
                                          std::uint64_t seed) {
  const PopsDemand half = halved(demand);
  std::uint32_t slots = std::max(2U, k / 2);
  while (slots < k && !pops_slots_possible(half, slots)) ++slots;
  auto routes = find_routes(half, slots, seed);
  if (!routes) return std::nullopt;
  std::vector<Route> twice = *routes;
  twice.insert(twice.end(), routes->begin(), routes->end());
  return twice;
}

bool is_circulant(const PopsDemand& demand) {
  const std::size_t g = demand.groups();
  for (std::size_t i = 1; i < g; ++i)
    for (std::size_t j = 0; j < g; ++j)
      if (demand(i, (i + j) % g) != demand(0, j)) return false;
  return g > 2;
}

// Routes of group 0's data with couplers by offset, then turned over all groups. A datum of offset
// j over group x uses offsets x and j - x once each.
std::optional<std::vector<Route>> circulant_routes(const PopsDemand& demand, std::uint32_t k,
                                                   std::uint64_t seed) {
  const auto g = static_cast<std::uint32_t>(demand.groups());
  const auto limit = static_cast<Int>(k);
  std::vector<Route> routes;
  for (std::uint32_t j = 0; j < g; ++j)
    for (std::int64_t u = 0; u < demand(0, j); ++u) routes.push_back({0, j, straight});
  std::vector<Int> direct(g, 0);
  std::vector<Int> first(g, 0);
  std::vector<Int> second(g, 0);
  const auto excess = [&](std::uint32_t c) {
    return std::max(0, direct[c] + first[c] + second[c] - limit) +
           std::max(0, first[c] - (limit - 1)) + std::max(0, second[c] - (limit - 1));
  };
  const auto put = [&](const Route& r, Int by) {
    if (r.over == straight) {
      direct[r.to] += by;
      return;
    }
    first[r.over] += by;
    second[(r.to + g - r.over) % g] += by;
  };
  const auto total = [&](const Route& r) {
    const std::uint32_t back = (r.to + g - r.over) % g;
    if (r.over == straight) return excess(r.to);
    return excess(r.over) + (back == r.over ? 0 : excess(back));
  };
  for (const Route& r : routes) put(r, 1);
  Random random(seed * 77 + k);
  std::vector<std::uint64_t> tabu(std::size_t{g} * (g + 1), 0);
  const std::uint64_t moves = 20000 + 40 * routes.size();
  for (std::uint64_t move = 1; move <= moves; ++move) {
    std::vector<std::uint32_t> bad;
    for (std::uint32_t c = 0; c < g; ++c)
      if (excess(c) > 0) bad.push_back(c);
    if (bad.empty()) break;
    const std::uint32_t c = bad[random.below(bad.size())];
    std::size_t datum = routes.size();
    for (std::uint64_t tries = 0; tries < 8 * routes.size(); ++tries) {
      const std::size_t r = random.below(routes.size());
      const Route& route = routes[r];
      const bool crosses = route.over == straight
                               ? route.to == c
                               : route.over == c || (route.to + g - route.over) % g == c;
      if (crosses) {
        datum = r;
        break;
      }
    }
    if (datum == routes.size()) continue;
    Route& route = routes[datum];
    const Route old = route;
    put(route, -1);
    Int least = std::numeric_limits<Int>::max();
    std::uint32_t over = old.over;
    std::uint64_t ties = 0;
    for (std::uint32_t x = 0; x <= g; ++x) {
      route.over = x == g ? straight : x;
      if (x == 0 || x == route.to || route.over == old.over || tabu[route.to * (g + 1) + x] > move)
        continue;
      const Int before = total(route);
      put(route, 1);
      const Int harm = total(route) - before;
      put(route, -1);
      if (harm > least) continue;
      ties = harm < least ? 1 : ties + 1;
      if (harm < least || random.below(ties) == 0) least = harm, over = route.over;
    }
    route.over = over;
    put(route, 1);
    tabu[old.to * (g + 1) + (old.over == straight ? g : old.over)] =
        move + tabu_min + random.below(tabu_range);
  }
  for (std::uint32_t c = 0; c < g; ++c)
    if (excess(c) > 0) return std::nullopt;
  std::vector<Route> all;
  for (std::uint32_t i = 0; i < g; ++i)
    for (const Route& r : routes)
      all.push_back({i, (r.to + i) % g, r.over == straight ? straight : (r.over + i) % g});
  return all;
}

}  // namespace

std::uint64_t search_work(std::uint64_t groups) {
  const std::uint64_t moves = 10000 + 150 * groups * groups;
  return std::min<std::uint64_t>(samples * groups * moves, start_work_max);
}

std::optional<std::vector<Route>> find_routes(const PopsDemand& demand, std::uint32_t k,
                                              std::uint64_t seed) {
  if (k < 2) {
    if (demand.largest() > static_cast<std::int64_t>(k)) return std::nullopt;
    Search search(demand, 2, seed);
    return search.take();
  }
  if (!pops_slots_possible(demand, k)) return std::nullopt;
  if (is_circulant(demand))
    if (auto routes = circulant_routes(demand, k, seed)) return routes;
  Search search(demand, k, seed);
  if (k >= halving_slots_min && seed % 2 == 0)
    if (const auto start = doubled(demand, k, seed)) search.start_from(*start);
  search.relieve();
  if (!search.solve(search_work(demand.groups()) / (samples * demand.groups())))
    return std::nullopt;
  return search.take();
}

}  // namespace faro::pops
