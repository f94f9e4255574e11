// Certificates on the SIMD mesh: distances along each dimension.
//
// A route moves all one way along one dimension. On a line somebody has to go u up and somebody d
// down: u + d routes. On a ring of N, a routes up and b down bring an element to where it is r up
// only if r <= a or N - r <= b: what lies strictly between two neighbouring distances x < y may be
// split there, x up and N - y down, so it takes N less the largest gap, 0 and N counted as
// distances. Wraparound that propagates may carry from a dimension to the next: 2(q - 1) fewer, or,
// of all elements on a small mesh, as many as no choice of fewer routes serves.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "faro/base/limits.hpp"
#include "machines/certificates/check.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::certificates {
namespace {

using namespace certificate;

// A coordinate before and after.
using Along = std::vector<std::pair<Word, Word>>;

Count on_line(const Along& along) {
  Count up = 0;
  Count down = 0;
  for (const auto& [before, after] : along) {
    if (after > before) up = std::max(up, Count{after - before});
    if (before > after) down = std::max(down, Count{before - after});
  }
  return up + down;
}

Count on_ring(const Along& along, Word side) {
  std::vector<Word> places = {0, side};
  for (const auto& [before, after] : along) places.push_back((after - before) & (side - 1));
  std::sort(places.begin(), places.end());
  Word gap = 0;
  for (std::size_t i = 1; i < places.size(); ++i) gap = std::max(gap, places[i] - places[i - 1]);
  return side - gap;
}

Along all_along(const MeshGeometry& geometry, const Demand& demand, int k) {
  Along along;
  const int width = geometry.side_log2(k);
  std::vector<Word> forms;
  for (int b = 0; b < width; ++b) forms.push_back(bit(geometry.low(k) + b));
  if (!demand.is_list() &&
      (2 * width > word_bits - 1 || demand.rank_of(forms) > limits::certificate_elements_log2_max))
    throw Unchecked{
        fmt::format("a side of {} has too many distances to list them", geometry.side(k))};
  demand.project(forms, [&](Word from, Word to, Count) { along.emplace_back(from, to); });
  return along;
}

// Wraparound that propagates, on few processors: whether some choice of so many routes reaches all
// of `wanted`, distances modulo N. Kinds are up and down along each dimension.
class Choices {
 public:
  Choices(const MeshGeometry& geometry, const std::vector<Word>& wanted) : wanted_(wanted) {
    for (int k = 0; k < geometry.dimensions(); ++k) {
      if (geometry.side_log2(k) == 0) continue;
      strides_.push_back(bit(geometry.low(k)));
      strides_.push_back(geometry.processors() - bit(geometry.low(k)));
    }
    nowhere_.assign(geometry.processors(), 0);
    nowhere_[0] = 1;
  }

  // How many choices there are, or more than `most`.
  Count count(Count routes, Count most) const {
    Count all = 1;
    for (std::size_t i = 1; i < strides_.size() && all <= most; ++i) all = all * (routes + i) / i;
    return all;
  }
  bool some_serves(Count routes) const { return serves(nowhere_, 0, routes); }

 private:
  using Reached = std::vector<unsigned char>;  // a flag for each distance

  bool serves(Reached reached, std::size_t kind, Count left) const {
    for (; kind + 1 < strides_.size(); --left) {
      if (serves(reached, kind + 1, left)) return true;
      if (left == 0) return false;
      reached = further(reached, kind);
    }
    for (; left > 0; --left) reached = further(reached, kind);
    return std::all_of(wanted_.begin(), wanted_.end(), [&](Word d) { return reached[d] != 0; });
  }
  // One route more.
  Reached further(const Reached& before, std::size_t kind) const {
    Reached after = before;
    for (std::size_t d = 0; d < before.size(); ++d)
      if (before[d] != 0) after[(d + strides_[kind]) & (before.size() - 1)] = 1;
    return after;
  }

  const std::vector<Word>& wanted_;
  std::vector<Word> strides_;
  Reached nowhere_;
};

// Whether so many routes are too few for the distances of all elements, wherever they carry.
bool too_few_with_carries(const MeshGeometry& geometry, const Demand& demand, Count routes) {
  if (geometry.bits() > limits::certificate_carries_log2_max) return false;
  std::vector<Word> wanted;
  const bool listed =
      demand.spell_out(limits::certificate_elements_log2_max, [&](Word from, Word to, Count) {
        wanted.push_back((to - from) & low_mask(geometry.bits()));
      });
  // All the way round every dimension serves everybody.
  Count enough = 0;
  for (int k = 0; k < geometry.dimensions(); ++k)
    enough += static_cast<Count>(geometry.side(k) - 1);
  if (!listed || routes >= enough) return false;
  const Choices choices(geometry, wanted);
  if (choices.count(routes, limits::certificate_carries_choices_max) >
      limits::certificate_carries_choices_max)
    throw Unchecked{fmt::format("at most {} choices of routes are tried",
                                limits::certificate_carries_choices_max)};
  return !choices.some_serves(routes);
}

}  // namespace

Proved routes_proves(const Mesh& mesh, const Demand& demand, const Bound& bound) {
  const MeshGeometry geometry(mesh);
  const auto* certificate = std::get_if<Displacements>(&bound.certificate);
  if (certificate == nullptr) return other_machine();
  if (certificate->sources.size() != static_cast<std::size_t>(geometry.dimensions()))
    return fault("the certificate speaks of {} dimensions, the mesh has {}",
                 certificate->sources.size(), geometry.dimensions());
  Count sum = 0;
  for (int k = 0; k < geometry.dimensions(); ++k) {
    const auto& sources = certificate->sources[static_cast<std::size_t>(k)];
    Along along;
    if (sources) {
      for (const Word p : *sources) {
        const std::optional<Word> to =
            p < geometry.processors() ? demand.goal_of_any(p) : std::nullopt;
        if (!to) return fault("the certificate's element of processor {} has no goal", p);
        along.emplace_back(geometry.coordinate(p, k), geometry.coordinate(*to, k));
      }
    } else {
      along = all_along(geometry, demand, k);
    }
    sum += mesh.wrap == Mesh::Wrap::none ? on_line(along)
                                         : on_ring(along, static_cast<Word>(geometry.side(k)));
  }
  if (mesh.wrap == Mesh::Wrap::propagating) {
    const auto carries = static_cast<Count>(2 * std::max(0, geometry.proper_dimensions() - 1));
    sum = sum > carries ? sum - carries : 0;
    // Something moves: that takes a route.
    sum = std::max(sum, demand.moving() != 0 ? Count{1} : Count{0});
    if (bound.value > sum && too_few_with_carries(geometry, demand, bound.value - 1))
      sum = bound.value;
  }
  return {sum};
}

}  // namespace faro::inline v1::certificates
