// The bound of a request on a mesh, with its reason in words.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/keepers.hpp"
#include "machines/links/bounds.hpp"
#include "machines/mesh/bounds.hpp"
#include "machines/mesh/carries.hpp"

namespace faro::inline v1 {
namespace {

// Displacements of a list of destinations are these, one scan for all dimensions.
std::vector<std::vector<std::int64_t>> displacements_of(
    const MeshGeometry& geometry, std::span<const std::uint64_t> destinations) {
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(geometry.dimensions()));
  for (int k = 0; k < geometry.dimensions(); ++k) {
    auto& d = all[static_cast<std::size_t>(k)];
    for (Word p = 0; p < destinations.size(); ++p)
      d.push_back(geometry.coordinate(destinations[p], k) - geometry.coordinate(p, k));
    std::sort(d.begin(), d.end());
    d.erase(std::unique(d.begin(), d.end()), d.end());
  }
  return all;
}

// beta or gamma, dimension by dimension.
struct Parts {
  std::vector<Count> values;
  certificate::Displacements proof = {};
  bool exact = true;
  bool anything_moves = false;
  std::vector<Word> shifts = {};  // modulo N, of all processors; where there are few of them

  void add(mesh::DimensionBound part) {
    values.push_back(part.value);
    proof.sources.push_back(std::move(part.sources));
    exact &= part.exact;
  }
};

Bound bound_from(const MeshGeometry& geometry, const Parts& parts, std::uint64_t elements) {
  if (!parts.anything_moves) return {.value = 0, .reason = "nothing moves"};
  Bound bound;
  Count sum = 0;
  std::string all;
  for (auto part = parts.values.rbegin(); part != parts.values.rend(); ++part) {
    sum += *part;
    all += (all.empty() ? "" : " + ") + to_string(*part);
  }
  switch (geometry.wrap()) {
    case Mesh::Wrap::none:
      bound.reason =
          fmt::format("beta = {}: in each dimension the farthest up and the farthest down", all);
      break;
    case Mesh::Wrap::orthogonal:
      bound.reason = fmt::format(
          "gamma = {}: in each dimension the fewest routes up and down that "
          "reach every distance on the ring",
          all);
      break;
    case Mesh::Wrap::propagating: {
      const auto carries = static_cast<Count>(2 * std::max(0, geometry.proper_dimensions() - 1));
      bound.reason = fmt::format(
          "gamma - 2(q - 1), gamma = {}: a route in a lower dimension may "
          "carry into a higher one (Theorem 6.2)",
          all);
      sum = std::max<Count>(1, sum > carries ? sum - carries : 0);
      if (parts.shifts.empty()) break;
      const Count exact = mesh::routes_with_carries(geometry, parts.shifts, sum).count;
      if (exact > sum)
        bound.reason = fmt::format(
            "no {} routes bring everybody to his goal, wherever they carry and in whatever order; "
            "Theorem 6.2 says {}",
            to_string(exact - 1), to_string(sum));
      sum = exact;
      break;
    }
  }
  if (!parts.exact)
    bound.reason += "; this is what is proved of it, finding all of it takes too long";
  if (elements > 1) bound.reason += fmt::format("; {} times, once for each element", elements);
  bound.value = sum * elements;
  bound.certificate = parts.proof;
  return bound;
}

// Whether the distances with carries are listed.
bool lists_shifts(const MeshGeometry& geometry) {
  return geometry.wrap() == Mesh::Wrap::propagating &&
         geometry.bits() <= limits::mesh_gamma_log2_max;
}

Bound simd_bound(const MeshGeometry& geometry, const BitMap& map, std::uint64_t elements) {
  Parts parts;
  if (lists_shifts(geometry))
    for (Word p = 0; p < geometry.processors(); ++p)
      parts.shifts.push_back((map(p) - p) & low_mask(geometry.bits()));
  parts.anything_moves = map != BitMap::identity(map.width());
  for (int k = 0; k < geometry.dimensions(); ++k)
    parts.add(geometry.wrap() == Mesh::Wrap::none ? mesh::line_bound(geometry, map, k)
                                                  : mesh::ring_bound(geometry, map, k));
  return bound_from(geometry, parts, elements);
}

Bound simd_bound(const MeshGeometry& geometry, std::span<const std::uint64_t> destinations,
                 std::uint64_t elements) {
  Parts parts;
  if (lists_shifts(geometry))
    for (Word p = 0; p < destinations.size(); ++p)
      parts.shifts.push_back((destinations[p] - p) & low_mask(geometry.bits()));
  const auto all = displacements_of(geometry, destinations);
  for (int k = 0; k < geometry.dimensions(); ++k) {
    const auto& d = all[static_cast<std::size_t>(k)];
    const mesh::Rides rides = geometry.wrap() == Mesh::Wrap::none
                                  ? mesh::rides_on_line(d)
                                  : mesh::rides_on_ring(d, geometry.side(k));
    parts.add({.value = static_cast<Count>(rides.total())});
    parts.anything_moves |= d != std::vector<std::int64_t>{0};
  }
  return bound_from(geometry, parts, elements);
}

// The traffic of the mesh with all links is listed up to this many elements.
constexpr int traffic_bits_max = 20;

// Each element's way; elements that go together are counted together.
std::vector<Shipment> traffic_of(const MeshGeometry& geometry, const MapGoal& goal,
                                 std::uint64_t elements) {
  std::vector<Shipment> traffic;
  const int memory_bits = goal.cut ? goal.memory_bits : 0;
  for (Word p = 0; p < geometry.processors(); ++p) {
    if (!goal.cut) {
      traffic.push_back({p, goal.map(p), elements});
      continue;
    }
    for (Word e = 0; e < bit(memory_bits); ++e) {
      const Word to = goal.map((p << memory_bits) | e) >> memory_bits;
      if (e > 0 && traffic.back().to == to)
        ++traffic.back().count;
      else
        traffic.push_back({p, to, 1, e});
    }
  }
  return traffic;
}

// More is not listed, and whether anything moves is all that is said.
std::optional<Bound> bound_beyond_lists(const MeshGeometry& geometry, const MapGoal& goal) {
  const int memory_bits = goal.cut ? goal.memory_bits : 0;
  if (geometry.bits() + memory_bits <= traffic_bits_max) return std::nullopt;
  const std::optional<Word> mover = a_mover(goal);
  if (!mover) return Bound{.value = 0, .reason = "nothing moves"};
  return Bound{
      .value = 1,
      .reason = "something moves; bounds are computed up to 2^20 elements",
      .certificate = certificate::Distance{*mover >> memory_bits, *mover & low_mask(memory_bits)}};
}

Bound links_bound_of(const MeshGeometry& geometry, const MapGoal& goal, std::uint64_t elements,
                     bool search = true) {
  if (auto bound = bound_beyond_lists(geometry, goal)) return *bound;
  return links_bound(geometry, traffic_of(geometry, goal, elements), search);
}

Bound links_bound_of(const MeshGeometry& geometry, std::span<const std::uint64_t> destinations,
                     std::uint64_t elements) {
  std::vector<Shipment> traffic;
  for (Word p = 0; p < destinations.size(); ++p) traffic.push_back({p, destinations[p], elements});
  return links_bound(geometry, traffic);
}

}  // namespace

Bound mesh::bound_without_search(const Mesh& mesh, const MapGoal& goal, std::uint64_t elements) {
  return links_bound_of(MeshGeometry(mesh), goal, elements, false);
}

Bound lower_bound(const Mesh& mesh, const MapGoal& goal, std::uint64_t elements) {
  const MeshGeometry geometry(mesh);
  if (mesh.links == Mesh::Links::all) return links_bound_of(geometry, goal, elements);
  const auto map = on_processors(goal, geometry.bits());
  if (!map) return {.value = 0, .reason = "no bound is known: the map moves memory bits"};
  return simd_bound(geometry, *map, elements);
}

Bound lower_bound(const Mesh& mesh, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements) {
  const MeshGeometry geometry(mesh);
  if (mesh.links == Mesh::Links::all) return links_bound_of(geometry, destinations, elements);
  return simd_bound(geometry, destinations, elements);
}

}  // namespace faro::inline v1
