// Lower bounds for the SIMD mesh in unit routes.   [Nassimi, Sahni 1980, sections 2 and 6]
//
//   beta    no wraparound: along each dimension somebody has to go farthest up and somebody
//           farthest down, and a route moves all one way. Exactly reachable for every BPC map.
//   gamma   orthogonal wraparound: the same on rings, where a way round may be shorter.
//
//   8x8, bit reversal:  beta = 14 + 14 = 28,  gamma = 7 + 7 = 14
//
// beta of a BPC map is a sum over its bits, said in four ways that agree. gamma needs the distances
// that occur. It is exact for BPC maps on sides up to 2^26; on longer ones, and for other affine
// maps, where a recursion on the digits of the distances ends within its effort: which it does
// for the maps that have names, at every side, and mostly does not for bits thrown about inside one
// long ring, as bit reversal of a ring of 2^40, where it would take some 2^20 kinds of places. The
// bound then is what is proved without: no gap between distances is larger than a certain one
// (machines/mesh/ring_gap.hpp), or a part of beta (Theorems 6.4, 6.5).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "faro/base/count.hpp"
#include "machines/bounds.hpp"
#include "machines/mesh/bpc_vector.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::mesh {

// What a BPC vector does with a bit: S, L, R, E of the paper. A bit that moves inside its dimension
// goes left, to a higher position, or right.
enum class BitKind { same, left, right, exiting };
BitKind kind_of(const MeshGeometry& geometry, const BpcVector& bits, int i);

// On a mesh with all links: the bounds that take no search, by distance and by cuts.
Bound bound_without_search(const Mesh& mesh, const MapGoal& goal, std::uint64_t elements);

struct BitSets {
  std::vector<int> left;
  std::vector<int> right;
  std::vector<int> same;
  std::vector<int> exiting;
  std::vector<int> m;  // R and E bits replaced by L or E bits
  std::vector<int> q;  // L bits replaced by R bits
};
BitSets sets_of(const MeshGeometry& geometry, const BpcVector& bits);

// beta by (2.3), a sum over bits; by (2.4), complements apart; by (2.5), over the sets M and Q.
Count beta_by_bits(const MeshGeometry& geometry, const BpcVector& bits);
Count beta_by_complements(const MeshGeometry& geometry, const BpcVector& bits);
Count beta_by_sets(const MeshGeometry& geometry, const BpcVector& bits);
// Table II: entry k is the part of dimension k.
std::vector<Count> beta_by_dimension(const MeshGeometry& geometry, const BpcVector& bits);

// The displacements that occur along a dimension, ascending and distinct; nothing beyond the stated
// sizes.
std::optional<std::vector<std::int64_t>> displacements(const MeshGeometry& geometry,
                                                       const BitMap& map, int dimension);

// The fewest positive and negative routes so that every displacement can ride, on a line or on a
// ring of `side`: min Z+ + Z-.
struct Rides {
  std::int64_t plus = 0;
  std::int64_t minus = 0;
  std::int64_t total() const { return plus + minus; }
};
Rides rides_on_line(std::span<const std::int64_t> displacements);
Rides rides_on_ring(std::span<const std::int64_t> displacements, std::int64_t side);

// One dimension's part of a bound; `exact` if no better one follows from distances alone.
struct DimensionBound {
  Count value = 0;
  bool exact = true;
  // Processors whose distances along the dimension prove it; nothing: those of all.
  std::optional<std::vector<Word>> sources = {};
};
// On a mesh without wraparound and on a torus, for any invertible map.
DimensionBound line_bound(const MeshGeometry& geometry, const BitMap& map, int dimension);
DimensionBound ring_bound(const MeshGeometry& geometry, const BitMap& map, int dimension);

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {

// For the SIMD mesh: beta, gamma, or on propagating wraparound gamma - 2(q - 1) (Theorem 6.2); for
// the mesh with all links see machines/links/bounds.hpp. K elements take K times as long.
Bound lower_bound(const Mesh& mesh, const MapGoal& goal, std::uint64_t elements);
// processor p sends to destinations[p].
Bound lower_bound(const Mesh& mesh, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements);

}  // namespace faro::inline v1
