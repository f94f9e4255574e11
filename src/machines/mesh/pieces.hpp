// What the proof knows of one register: disjoint affine subspaces of the processors, each with the
// affine map that says whose element is there. What no piece covers holds nothing defined.
#pragma once

#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/schedules/steps.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1 {

struct MeshPiece {
  AffineSpace where;
  // The processor whose element is at p has bit b = parity(p & source[b].mask) ^ source[b].value.
  // Reduced on `where`, so that equal maps are equal values.
  std::vector<Parity> source;
};

using MeshPieces = std::vector<MeshPiece>;

// The parts of the pieces inside and outside a subspace.
MeshPieces inside_of(const MeshPieces& pieces, const AffineSpace& space);
MeshPieces outside_of(MeshPieces pieces, const AffineSpace& space);

// All pieces after ROUTE(dimension, by). Adding a number to a coordinate is an xor on a piece where
// every carry is decided; elsewhere the piece is split by the first undecided bit.
MeshPieces routed(const MeshGeometry& geometry, const MeshPieces& pieces, int dimension,
                  std::int64_t by);

// Joins pieces that are cosets of one subspace, one constraint apart, with maps of the same linear
// part: their union has such a map too.
void merge(MeshPieces& pieces);

}  // namespace faro::inline v1
