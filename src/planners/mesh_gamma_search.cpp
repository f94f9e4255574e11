#include "mesh_gamma_search.hpp"

#include <algorithm>
#include <limits>

namespace faro::mesh {
namespace {

constexpr float unreachable = std::numeric_limits<float>::infinity();
constexpr std::uint32_t nowhere = ~std::uint32_t{0};

// A place is (route, processor, rests or rides). Time runs over routes.
class Negotiation {
 public:
  Negotiation(const MeshGeometry& geometry, std::span<const Word> destinations,
              const std::vector<MeshRoute>& routes, int resters)
      : n_(destinations.size()),
        destinations_(destinations),
        routes_(routes),
        resters_(resters),
        used_(routes.size() * n_ * 2, 0),
        history_(routes.size() * n_ * 2, 0),
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

  bool run(int rounds) {
    float pressure = 0.5F;
    for (int round = 0; round < rounds; ++round) {
      for (Word m = 0; m < n_; ++m) {
        if (round > 0 && !crowded(m)) continue;
        if (round > 0) take(m, -1);
        if (!send(m, pressure)) return false;
        take(m, 1);
      }
      if (settle()) return true;
      pressure *= 1.4F;
    }
    return false;
  }

  std::vector<std::vector<bool>> take_rides() { return std::move(rides_); }

 private:
  std::size_t place(std::size_t t, Word p, bool rides) const {
    return (t * n_ + p) * 2 + (rides ? 1 : 0);
  }
  int room(bool rides) const { return rides ? 1 : resters_; }

  template <class Visit>
  void along(Word m, Visit&& visit) const {
    Word p = m;
    for (std::size_t t = 0; t < routes_.size(); ++t) {
      visit(t, p, rides_[m][t]);
      if (rides_[m][t]) p = next_[t][p];
    }
  }

  void take(Word m, int sign) {
    along(m, [&](std::size_t t, Word p, bool rides) { used_[place(t, p, rides)] += sign; });
  }

  bool crowded(Word m) const {
    bool any = false;
    along(m, [&](std::size_t t, Word p, bool rides) {
      any |= used_[place(t, p, rides)] > room(rides);
    });
    return any;
  }

  // True if nothing is crowded; crowded places become dearer for good.
  bool settle() {
    bool settled = true;
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const int over = used_[i] - room(i % 2 == 1);
      if (over <= 0) continue;
      history_[i] += static_cast<float>(over);
      settled = false;
    }
    return settled;
  }

  float price(std::size_t t, Word p, bool rides, float pressure) const {
    const std::size_t i = place(t, p, rides);
    const int over = used_[i] + 1 - room(rides);
    return (1 + history_[i]) * (over > 0 ? 1 + pressure * static_cast<float>(over) : 1);
  }

  // The cheapest way of m's element, by what is left to pay from each (route, processor) on.
  bool send(Word m, float pressure) {
    const std::size_t end = routes_.size();
    std::fill(cost_.begin(), cost_.end(), unreachable);
    cost_[end * n_ + destinations_[m]] = 0;
    for (std::size_t t = end; t-- > 0;)
      for (Word p = 0; p < n_; ++p) {
        float best = unreachable;
        const float rest = cost_[(t + 1) * n_ + p];
        if (rest < unreachable) best = rest + price(t, p, false, pressure);
        const std::uint32_t to = next_[t][p];
        if (to != nowhere && cost_[(t + 1) * n_ + to] < unreachable)
          best = std::min(best, cost_[(t + 1) * n_ + to] + price(t, p, true, pressure));
        cost_[t * n_ + p] = best;
      }
    if (cost_[m] == unreachable) return false;
    Word p = m;
    for (std::size_t t = 0; t < end; ++t) {
      const float rest = cost_[(t + 1) * n_ + p] + price(t, p, false, pressure);
      const bool rides = rest > cost_[t * n_ + p];
      rides_[m][t] = rides;
      if (rides) p = next_[t][p];
    }
    return true;
  }

  std::size_t n_;
  std::span<const Word> destinations_;
  const std::vector<MeshRoute>& routes_;
  int resters_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::vector<int> used_;
  std::vector<float> history_;
  std::vector<float> cost_;
  std::vector<std::vector<bool>> rides_;
};

}  // namespace

std::optional<RidePlan> negotiate(const MeshGeometry& geometry, std::span<const Word> destinations,
                                  const std::vector<MeshRoute>& routes, int resters, int rounds) {
  Negotiation negotiation(geometry, destinations, routes, resters);
  if (!negotiation.run(rounds)) return {};
  return RidePlan{routes, negotiation.take_rides()};
}

}  // namespace faro::mesh
