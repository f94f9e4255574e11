// Sweeps: permutations that change one coordinate, in the fewest unit routes.
//
//   ring of 8, bit reversal: everybody rides up to +3 and those who have to get off at +1, +2, +3;
//   then everybody again, down. Units: max up + max down.
//
// Any permutation will do, and several dimensions one after the other where each coordinate is
// permuted by itself: a BPC map without E bits is swept in exactly gamma. One route for each
// distinct distance; who gets off are sets of processors, so at most 2^12 of them.
#pragma once

#include "planners/entry.hpp"
#include "planners/mesh/program.hpp"

namespace faro::inline v1::mesh {

// The addresses of `bits` bits from `low` up; processor x of them goes to to[x], which differs in
// the coordinate of `dimension` only.
struct Sweep {
  int dimension = 0;
  int low = 0;
  int bits = 0;
  std::vector<Word> to;
};
void sweep(MeshProgram& program, const Sweep& job);

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {

extern const PlannerEntry mesh_sweep;

}  // namespace faro::inline v1
