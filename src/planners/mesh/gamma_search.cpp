#include "planners/mesh/gamma_search.hpp"

#include <algorithm>

#include "search/route.hpp"

namespace faro::inline v1::mesh {
namespace {

constexpr std::uint32_t nowhere = ~std::uint32_t{0};

// A step is a route, a state the processor where an element is. Resting there takes channel 2p,
// which has room for `resters`; riding takes channel 2p + 1, for one.
class RideSearch {
 public:
  RideSearch(const MeshGeometry& geometry, const std::vector<MeshRoute>& routes, int resters,
             int rounds)
      : router_(rooms(geometry.processors(), resters), routes.size(),
                search::Router::Beside::channels,
                {.pressure = 50, .times = 140, .rounds = {.most = rounds}}) {
    for (const MeshRoute& route : routes) {
      std::vector<std::uint32_t> next(geometry.processors(), nowhere);
      for (Word p = 0; p < next.size(); ++p)
        if (const auto to = geometry.routed(p, route.dimension, route.by))
          next[p] = static_cast<std::uint32_t>(*to);
      next_.push_back(std::move(next));
    }
  }

  // What is there in a route (search::StepwiseWays).
  struct Step {
    const search::Price* prices;
    const std::vector<std::uint32_t>& next;

    static bool reaches(std::size_t) { return true; }
    search::Price rest(std::size_t p) const { return prices[2 * p]; }
    static std::optional<std::size_t> rests(std::size_t p) { return 2 * p; }
    // Crossing p leaves p, if there is one.
    static std::size_t first(std::size_t p) { return p; }
    std::size_t end(std::size_t p) const { return next[p] == nowhere ? p : p + 1; }
    std::size_t to(std::size_t p) const { return next[p]; }
    static std::size_t channel(std::size_t p) { return 2 * p + 1; }
    search::Price price(std::size_t p) const { return prices[channel(p)]; }
  };
  Step in_step(std::size_t t) const {
    return {router_.prices({static_cast<std::uint32_t>(t), 0}), next_[t]};
  }

  std::optional<std::vector<std::vector<bool>>> run(std::span<const Word> destinations) {
    search::StepwiseWays finder(destinations.size(), next_.size());
    std::vector<search::Way> ways(destinations.size());
    const bool found = router_.run(
        ways, [](auto&) {},
        [&](Word m, search::Way& way) { return finder.find(*this, m, destinations[m], way); });
    if (!found) return {};
    std::vector<std::vector<bool>> rides(ways.size(), std::vector<bool>(next_.size()));
    for (std::size_t m = 0; m < ways.size(); ++m)
      for (const search::Place at : ways[m]) rides[m][at.step] = at.channel % 2 == 1;
    return rides;
  }

 private:
  static std::vector<std::uint16_t> rooms(std::size_t processors, int resters) {
    std::vector<std::uint16_t> all(2 * processors, 1);
    for (std::size_t i = 0; i < all.size(); i += 2) all[i] = static_cast<std::uint16_t>(resters);
    return all;
  }

  search::Router router_;
  std::vector<std::vector<std::uint32_t>> next_;  // by route and processor
};

}  // namespace

std::optional<RidePlan> negotiate(const MeshGeometry& geometry, std::span<const Word> destinations,
                                  const std::vector<MeshRoute>& routes, int resters, int rounds) {
  auto rides = RideSearch(geometry, routes, resters, rounds).run(destinations);
  if (!rides) return {};
  return RidePlan{routes, std::move(*rides)};
}

}  // namespace faro::inline v1::mesh
