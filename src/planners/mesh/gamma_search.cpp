#include "planners/mesh/gamma_search.hpp"

#include <algorithm>

#include "search/negotiation.hpp"

namespace faro::inline v1::mesh {
namespace {

using search::out_of_reach;
using search::Price;

constexpr std::uint32_t nowhere = ~std::uint32_t{0};

// A place is (route, processor, rests or rides): one may ride, `resters` may rest. Time runs over
// routes.
class RideSearch {
 public:
  RideSearch(const MeshGeometry& geometry, std::span<const Word> destinations,
             const std::vector<MeshRoute>& routes, int resters, int rounds)
      : n_(destinations.size()),
        destinations_(destinations),
        routes_(routes),
        places_(rooms(routes.size() * n_, resters),
                {.pressure = 50, .times = 140, .rounds = rounds}),
        cost_((routes.size() + 1) * n_),
        rides_(n_, std::vector<bool>(routes.size())) {
    for (const MeshRoute& route : routes) {
      std::vector<std::uint32_t> next(n_, nowhere);
      for (Word p = 0; p < n_; ++p)
        if (const auto to = geometry.routed(p, route.dimension, route.by))
          next[p] = static_cast<std::uint32_t>(*to);
      next_.push_back(std::move(next));
    }
  }

  bool run() {
    std::vector<search::Way> ways(n_);
    return places_.run(
        ways, [](auto&) {}, [this](std::size_t m, search::Way& way) { return send(m, way); });
  }

  std::vector<std::vector<bool>> take_rides() { return std::move(rides_); }

 private:
  static std::vector<std::uint16_t> rooms(std::size_t pairs, int resters) {
    std::vector<std::uint16_t> all(2 * pairs, 1);
    for (std::size_t i = 0; i < all.size(); i += 2) all[i] = static_cast<std::uint16_t>(resters);
    return all;
  }

  std::size_t place(std::size_t t, Word p, bool rides) const {
    return (t * n_ + p) * 2 + (rides ? 1 : 0);
  }

  // The cheapest way of m's element, by what is left to pay from each (route, processor) on.
  bool send(Word m, search::Way& way) {
    const std::size_t end = routes_.size();
    std::fill(cost_.begin(), cost_.end(), out_of_reach);
    cost_[end * n_ + destinations_[m]] = 0;
    for (std::size_t t = end; t-- > 0;)
      for (Word p = 0; p < n_; ++p) {
        Price best = out_of_reach;
        const Price rest = cost_[(t + 1) * n_ + p];
        if (rest < out_of_reach) best = rest + places_.price(place(t, p, false));
        const std::uint32_t to = next_[t][p];
        if (to != nowhere && cost_[(t + 1) * n_ + to] < out_of_reach)
          best = std::min(best, cost_[(t + 1) * n_ + to] + places_.price(place(t, p, true)));
        cost_[t * n_ + p] = best;
      }
    if (cost_[m] == out_of_reach) return false;
    Word p = m;
    for (std::size_t t = 0; t < end; ++t) {
      const Price rest = cost_[(t + 1) * n_ + p] + places_.price(place(t, p, false));
      const bool rides = rest > cost_[t * n_ + p];
      rides_[m][t] = rides;
      way.push_back(static_cast<std::uint32_t>(place(t, p, rides)));
      if (rides) p = next_[t][p];
    }
    return true;
  }

  std::size_t n_;
  std::span<const Word> destinations_;
  const std::vector<MeshRoute>& routes_;
  search::Negotiation places_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<Price> cost_;
  std::vector<std::vector<bool>> rides_;
};

}  // namespace

std::optional<RidePlan> negotiate(const MeshGeometry& geometry, std::span<const Word> destinations,
                                  const std::vector<MeshRoute>& routes, int resters, int rounds) {
  RideSearch rides(geometry, destinations, routes, resters, rounds);
  if (!rides.run()) return {};
  return RidePlan{routes, rides.take_rides()};
}

}  // namespace faro::inline v1::mesh
