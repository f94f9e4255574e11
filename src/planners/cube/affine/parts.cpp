// Parts of the cube by phases.   [faro; the phases of Johnsson, Ho 1991 (codes), section 5.2]
//   applies:  maps of processor bits with two groups or more of bits, of which 1 to 8 move; one of
//             them with fewer ports too
//   cost:     sum over phases of the slowest part's plan
//   bound:    machines/bounds
#include "planners/cube/affine/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "faro/base/limits.hpp"
#include "machines/cube/ports.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/cube/request.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {
namespace {

// A group of dimensions and the map on them.
struct CubePart {
  std::vector<int> dimensions;
  BitMap map;
};

// The groups that move, by lowest dimension.
std::vector<CubePart> parts_of(const BitMap& map) {
  const int n = map.width();
  std::vector<int> group(static_cast<std::size_t>(n));  // its lowest dimension
  for (int j = 0; j < n; ++j) group[static_cast<std::size_t>(j)] = j;
  const auto at = [&group](int j) -> int& { return group[static_cast<std::size_t>(j)]; };
  for (int j = 0; j < n; ++j)
    for (Word row = map.matrix().row(j); row != 0; row &= row - 1) {
      const int one = at(j);
      const int other = at(lowest_bit(row));
      for (int& g : group)
        if (g == one || g == other) g = std::min(one, other);
    }
  std::vector<CubePart> parts;
  for (int g = 0; g < n; ++g) {
    std::vector<int> dimensions;
    for (int j = 0; j < n; ++j)
      if (at(j) == g) dimensions.push_back(j);
    const auto size = static_cast<int>(dimensions.size());
    if (size == 0) continue;
    BitMatrix matrix(size, size);
    Word complement = 0;
    for (int c = 0; c < size; ++c) {
      const int column = dimensions[static_cast<std::size_t>(c)];
      Word word = 0;
      for (int r = 0; r < size; ++r) {
        const int row = dimensions[static_cast<std::size_t>(r)];
        if (has_bit(map.matrix().row(row), column)) word |= bit(r);
        if (c == 0 && has_bit(map.complement(), row)) complement |= bit(r);
      }
      matrix.set_column(c, word);
    }
    const BitMap part = BitMap::from_matrix(matrix, complement);
    if (part != BitMap::identity(size)) parts.push_back({std::move(dimensions), part});
  }
  return parts;
}

std::optional<std::string> refusal_parts(const Request& request) {
  if (auto why = cube_refusal(request)) return why;
  const auto split = split_map(request);
  if (!split) return "a processor bit of the map depends on a memory bit";
  const std::vector<CubePart> parts = parts_of(split->processors);
  if (parts.empty() || parts[0].dimensions.size() == std::size_t(processor_bits(request)))
    return "its processor bits do not fall apart into groups";
  if (parts.size() > 1 && cube_of(request)->ports != Hypercube::Ports::all)
    return "of fewer ports it plans one group that moves";
  if (parts.size() > limits::phase_parts_max)
    return fmt::format("{} groups of bits; it plans {}", parts.size(), limits::phase_parts_max);
  if (request.elements() > limits::phase_elements_max)
    return fmt::format("its schedules of {} elements are kept in memory; it takes {}",
                       request.elements(), limits::phase_elements_max);
  return {};
}

Offer offer_parts(const Request& request) {
  const std::vector<CubePart> parts = parts_of(split_map(request)->processors);
  std::map<std::pair<std::size_t, std::uint64_t>, Node> planned;
  const Work work = [&](std::size_t i, std::uint64_t elements) {
    const auto known = planned.find({i, elements});
    if (known != planned.end()) return known->second;
    Hypercube cube{static_cast<int>(parts[i].dimensions.size()), cube_of(request)->ports};
    if (several_ports(*cube_of(request)) && ports_of(*cube_of(request)) >= cube.dimensions)
      cube.ports = Hypercube::Ports::all;
    const Request part = Request::of(cube, MapGoal{.map = parts[i].map}, elements);
    return planned
        .emplace(std::pair(i, elements),
                 on_part(node_of(cheapest_offer(part)), parts[i].dimensions))
        .first->second;
  };
  return offer_of(request, parts_by_phases.name(), phases(request.elements(), parts.size(), work),
                  "sum over phases of the slowest part's plan");
}

}  // namespace

const PlannerEntry parts_by_phases({
    .name = "parts-by-phases",
    .machine = "cube",
    .title = "groups of processor bits planned each by itself, parts of the elements in turn",
    .needs = "a map of processor bits that falls apart into groups, 1..8 of which move, K <= 2^12, "
             "all ports; or one group and fewer ports",
    .cost = "sum over phases of the slowest part's plan",
    .citation = "faro, after Johnsson, Ho 1991 (codes), section 5.2",
    .refusal = refusal_parts,
    .offer = offer_parts,
    .searches = true,
    .asks_often = true,
    .several_ports = true,
});

}  // namespace faro::inline v1
