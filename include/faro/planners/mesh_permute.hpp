// Optimal BPC routing on the SIMD mesh: PERMUTE of Nassimi and Sahni 1980, as corrected.
//
//   8x8 mesh, bit reversal: 28 unit routes, which is beta, in 12 long routes.
//
// Every BPC map on every shape in exactly beta(A) unit routes (2.3); at most 4p - 2q' long routes
// and 6p - 3 register operations, p address bits, q' dimensions with a side of 2 or more. Planning
// takes O(p^2). The programs are valid on wrapped machines too: live data never cross an edge.
#pragma once

#include "faro/machines/model/bpc_vector.hpp"
#include "faro/planners/mesh_program.hpp"

namespace faro::mesh {

// --- The blocks, section 3 ---------------------------------------------------------------------

// Complements address bit i where all conditions hold: 2 routes, 2g(i) units, 3 operations. The
// conditions must not involve bit i.
void complement(MeshProgram& program, int i, const std::vector<Parity>& where = {});

// Two bits that change places. A sign says that the bit is complemented on its way; in one
// dimension both are plus.
struct Interchange {
  int i = 0;
  int j = 0;
  bool i_inverted = false;
  bool j_inverted = false;
};
// 2|g(i) - g(j)| units in one dimension, 2(g(i) + g(j)) across two.
void interchange(MeshProgram& program, const Interchange& bits);

// --- The algorithms ----------------------------------------------------------------------------

enum class Variant {
  two_dimensions,  // Algorithm 4.1; at most two dimensions may own bits
  general,         // section 5, FOLD, EXCHANGE, UNFOLD; three registers
  plus,            // section 5; pairs by INTERCHANGE, complements by renaming registers
  two_registers,   // any number of dimensions, beyond beta where section 5 needs the third register
};

MeshProgram permute(const MeshGeometry& geometry, const BpcVector& bits, Variant variant);

// The interchanges of Algorithm 4.1 in order, larger bit first; for worked examples.
std::vector<Interchange> interchanges_of(const MeshGeometry& geometry, const BpcVector& bits);

}  // namespace faro::mesh

namespace faro {

extern const Planner mesh_permute;
extern const Planner mesh_permute_plus;
extern const Planner mesh_two_registers;

}  // namespace faro
