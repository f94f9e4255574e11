// Optimal BPC routing on the SIMD mesh: PERMUTE of Nassimi and Sahni 1980, as corrected.
//
//   8x8 mesh, bit reversal: 28 unit routes, which is beta, in 12 long routes.
//
// Every BPC map on every shape in exactly beta(A) unit routes (2.3); at most 4p - 2q' long routes
// and 6p - 3 register operations, p address bits, q' dimensions with a side of 2 or more. Planning
// takes O(p^2). The programs are valid on wrapped machines too: live data never cross an edge.
//
// On a torus half a ring is as far up as down, so that a top bit costs g instead of 2g. The variant
// that uses this never takes more than beta; bit reversal on an 8x8 torus 20, an n x n transpose
// 3n - 4.
#pragma once

#include "machines/mesh/bpc_vector.hpp"
#include "planners/entry.hpp"
#include "planners/mesh/blocks.hpp"

namespace faro::inline v1::mesh {

// --- The algorithms ----------------------------------------------------------------------------

enum class Variant {
  two_dimensions,  // Algorithm 4.1; at most two dimensions may own bits
  any_pairs,       // Theorem 4.2: any interchangeable pair, O(p^2) of them; two dimensions
  general,         // section 5, FOLD, EXCHANGE, UNFOLD; three registers
  plus,            // section 5; pairs by INTERCHANGE, complements by renaming registers
  torus,           // orthogonal wraparound: `plus` with the shortcuts of top bits
};

MeshProgram permute(const MeshGeometry& geometry, const BpcVector& bits, Variant variant);

// The interchanges of Algorithm 4.1, or of Theorem 4.2 (any_pairs), in order; for worked examples.
std::vector<Interchange> interchanges_of(const MeshGeometry& geometry, const BpcVector& bits,
                                         Variant variant = Variant::two_dimensions);

// The time that a control unit takes to decide the routing sequence, O(p^2): how often the
// algorithm asks what becomes of a bit.
Count control_time(const MeshGeometry& geometry, const BpcVector& bits);

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {

extern const PlannerEntry mesh_permute;
extern const PlannerEntry mesh_interchanges;
extern const PlannerEntry mesh_permute_plus;
extern const PlannerEntry torus_permute;

}  // namespace faro::inline v1
