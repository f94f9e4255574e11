// Affine maps that permute no bits, on the SIMD mesh: conditional complements around a BPC map.
//
//   Gray code on a line of 8:  y = x ^ (x >> 1)     bit 0 ^= bit 1, bit 1 ^= bit 2
//                              COMPLEMENT(0) where bit 1 is 1, COMPLEMENT(1) where bit 2 is 1:
//                              2·1 + 2·2 = 6 unit routes; the bound is 5
//
// Every invertible A is V·P·U over GF(2), U and V triangular with ones on the diagonal, P a
// permutation (Bruhat). A row of U or V that adds other bits to bit i is one COMPLEMENT(i) under a
// parity condition: 2g(i) units, on a torus g(i) for a top bit. So the cost is beta of P plus at
// most 2·sum(n_k - 1) for each of U and V. U and V may be upper or lower: the cheapest of the four.
#pragma once

#include "planners/entry.hpp"
#include "planners/mesh/program.hpp"

namespace faro::inline v1::mesh {

MeshProgram permute_affine(const MeshGeometry& geometry, const BitMap& map);

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {

extern const PlannerEntry mesh_affine;

}  // namespace faro::inline v1
