#include "planners/pops/loads.hpp"

#include <algorithm>
#include <limits>

#include "base/random.hpp"
#include "planners/pops/load_search.hpp"

namespace faro::inline v1::pops {
namespace {

using Int = std::int32_t;

constexpr std::uint64_t start_work_max = 800'000'000;
// A search that has not come nearer for so many moves stops.
constexpr std::uint64_t patience = 300'000;
constexpr std::uint64_t patience_of_half = 30'000;
// Data of a pair of groups from which on half of them are routed first.
constexpr std::int64_t halved_from = 128;

std::uint64_t moves_of(const PopsDemand& demand) {
  const std::uint64_t groups = demand.groups();
  return 10'000 + 150 * groups * groups + 20 * static_cast<std::uint64_t>(demand.total());
}

// A move looks at the routes of six data; beside that it costs as much as 64 more relays.
constexpr std::uint64_t move_work(std::uint64_t groups) {
  return 6 * (groups + 64);
}

bool is_circulant(const PopsDemand& demand) {
  const std::size_t g = demand.groups();
  for (std::size_t i = 1; i < g; ++i)
    for (std::size_t j = 0; j < g; ++j)
      if (demand(i, (i + j) % g) != demand(0, j)) return false;
  return g > 2;
}

// A datum, drawn at random, that uses couplers of offset c; routes.size() if draws find none.
std::size_t across(const std::vector<Route>& routes, std::uint32_t g, std::uint32_t c,
                   Random& random) {
  for (std::uint64_t tries = 0; tries < 8 * routes.size(); ++tries) {
    const std::size_t r = random.below(routes.size());
    const Route& route = routes[r];
    if (route.over == straight ? route.to == c
                               : route.over == c || (route.to + g - route.over) % g == c)
      return r;
  }
  return routes.size();
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
    const std::size_t datum = across(routes, g, bad[random.below(bad.size())], random);
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

PopsDemand half_of(const PopsDemand& demand) {
  PopsDemand half(demand.groups());
  for (std::size_t i = 0; i < demand.groups(); ++i)
    for (std::size_t j = 0; j < demand.groups(); ++j) half(i, j) = demand(i, j) / 2;
  return half;
}

struct Near {
  std::vector<Route> routes;
  bool fit = false;  // into k slots
};

// Of many data half the data in half the slots first, fit or not, and each route twice: few are
// left to improve. Every other seed begins with all data straight, which sometimes leads farther.
Near near_routes(const PopsDemand& demand, std::uint32_t k, std::uint64_t seed,
                 std::uint64_t moves_without, std::uint64_t& work) {
  LoadSearch search(demand, k, seed);
  if (seed % 2 == 0 && demand.largest() >= halved_from)
    search.follow_twice(
        near_routes(half_of(demand), (k + 1) / 2, seed, patience_of_half, work).routes);
  search.relieve();
  const std::uint64_t move = move_work(demand.groups());
  const bool fit = search.solve(std::min(moves_of(demand), start_work_max / move), moves_without);
  work += search.moves() * move;
  return {search.take(), fit};
}

}  // namespace

std::optional<std::vector<Route>> find_routes(const PopsDemand& demand, std::uint32_t k,
                                              std::uint64_t seed, std::uint64_t& work) {
  if (k < 2) {
    if (demand.largest() > static_cast<std::int64_t>(k)) return std::nullopt;
    LoadSearch search(demand, 2, seed);
    return search.take();
  }
  if (!pops_slots_possible(demand, k)) return std::nullopt;
  if (is_circulant(demand))
    if (auto routes = circulant_routes(demand, k, seed)) return routes;
  Near near = near_routes(demand, k, seed, patience, work);
  if (!near.fit) return std::nullopt;
  return std::move(near.routes);
}

}  // namespace faro::inline v1::pops
