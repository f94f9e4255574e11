// Certificates on the mesh whose links all work at once: distances, slabs, weights of links.
#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "faro/base/limits.hpp"
#include "machines/certificates/check.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::certificates {
namespace {

using namespace certificate;

Count of_slab(const MeshGeometry& geometry, const Demand& demand, const Slab& slab) {
  const auto inside = [&](Word p) {
    const auto c = static_cast<std::uint64_t>(geometry.coordinate(p, slab.dimension));
    return slab.first <= c && c <= slab.last;
  };
  Count leaving = 0;
  const bool all = demand.spell_out(limits::certificate_elements_log2_max,
                                    [&](Word from, Word to, Count elements) {
                                      if (inside(from) && !inside(to)) leaving += elements;
                                    });
  if (!all) throw Unchecked{"there are too many elements to count them"};
  // Through both faces of the slab, if it has two: on a ring always, but that a ring of two has one
  // link between its halves.
  const auto side = static_cast<std::uint64_t>(geometry.side(slab.dimension));
  const bool ring = geometry.wrap() == Mesh::Wrap::orthogonal && side > 2;
  const Count doors = ring ? 2 : (slab.first > 0 ? 1 : 0) + (slab.last + 1 < side ? 1 : 0);
  if (doors == 0 || slab.last - slab.first + 1 == side) return 0;
  const Count line = geometry.processors() >> geometry.side_log2(slab.dimension);
  return ceil_div(leaving, doors * line);
}

// Dijkstra's algorithm from every processor where something starts.
class Ways {
 public:
  Ways(const MeshGeometry& geometry, const Weights& weights) : geometry_(geometry) {
    for (const Weights::Link& link : weights.links) {
      weight_[link.from * geometry.processors() + link.to] += link.weight;
      total_ += link.weight;
    }
  }
  Count total() const { return total_; }

  std::vector<Count> from(Word source) const {
    std::vector<Count> cheapest(geometry_.processors(), Count::largest());
    using Entry = std::pair<Count, Word>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    cheapest[source] = 0;
    open.emplace(0, source);
    while (!open.empty()) {
      const auto [cost, p] = open.top();
      open.pop();
      if (cost != cheapest[p]) continue;
      for (const Word q : geometry_.neighbours(p)) {
        const auto weight = weight_.find(p * geometry_.processors() + q);
        const Count there = cost + (weight == weight_.end() ? Count{0} : weight->second);
        if (there >= cheapest[q]) continue;
        cheapest[q] = there;
        open.emplace(there, q);
      }
    }
    return cheapest;
  }

 private:
  const MeshGeometry& geometry_;
  std::unordered_map<Word, Count> weight_;  // by from * processors + to
  Count total_ = 0;
};

Proved of_weights(const MeshGeometry& geometry, const Demand& demand, const Weights& weights) {
  for (const Weights::Link& w : weights.links) {
    if (std::max(w.from, w.to) >= geometry.processors() || geometry.hops(w.from, w.to) != 1)
      return fault("a weight from {} to {}, where no link is", w.from, w.to);
    if (w.weight > limits::certificate_weight_max)
      return fault("the weight of a link is above 2^53");
  }
  if (geometry.bits() > limits::certificate_processors_log2_max)
    throw Unchecked{fmt::format("weights of links are checked up to 2^{} processors",
                                limits::certificate_processors_log2_max)};
  std::vector<std::vector<std::pair<Word, Count>>> traffic(geometry.processors());
  const bool all = demand.spell_out(
      limits::certificate_elements_log2_max,
      [&](Word from, Word to, Count elements) { traffic[from].emplace_back(to, elements); });
  if (!all) throw Unchecked{"there are too many elements to count them"};
  const Ways ways(geometry, weights);
  if (ways.total() == 0) return fault("the certificate's weights are all zero");
  Count paid = 0;
  for (Word p = 0; p < geometry.processors(); ++p) {
    if (traffic[p].empty()) continue;
    const std::vector<Count> cheapest = ways.from(p);
    for (const auto& [to, elements] : traffic[p]) paid += cheapest[to] * elements;
  }
  return {ceil_div(paid, ways.total())};
}

}  // namespace

Proved links_proves(const Mesh& mesh, const Demand& demand, const Bound& bound) {
  const MeshGeometry geometry(mesh);
  if (const auto* c = std::get_if<Distance>(&bound.certificate)) {
    const std::optional<Word> to = demand.goal_of(c->processor, c->slot);
    if (!to) return no_goal(*c);
    return {static_cast<Count>(geometry.hops(c->processor, *to))};
  }
  if (const auto* c = std::get_if<Slab>(&bound.certificate)) {
    if (c->dimension >= geometry.dimensions() || c->first > c->last ||
        c->last >= static_cast<std::uint64_t>(geometry.side(c->dimension)))
      return fault("the certificate's slab is not on the mesh");
    return {of_slab(geometry, demand, *c)};
  }
  if (const auto* c = std::get_if<Weights>(&bound.certificate))
    return of_weights(geometry, demand, *c);
  return other_machine();
}

}  // namespace faro::inline v1::certificates
