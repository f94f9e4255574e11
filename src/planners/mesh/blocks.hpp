// What the planners of BPC maps on meshes put together: COMPLEMENT, INTERCHANGE, and the EXCHANGE
// of two registers, without and with wraparound.
//
//   COMPLEMENT(i):   Rr <- Rs (i);  ROUTE(u(i), -g(i));  Rr <-> Rs (-i);  ROUTE(u(i), g(i));
//                    Rs <- Rr (i)
#pragma once

#include <vector>

#include "planners/mesh/program.hpp"

namespace faro::inline v1::mesh {

inline constexpr unsigned zero = 0;  // of a bit, in where_bits
inline constexpr unsigned one = 1;

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

// EXCHANGE(hub, j) of section 5: where the hub bit is 0, `stay` at j = 1 changes places with `go`
// at j = 0.
struct Folded {
  int hub = 0;
  MeshRegister stay = MeshRegister::s;
  MeshRegister go = MeshRegister::t;
};
void exchange(MeshProgram& program, const Folded& folded, int j);

// --- The same on a torus -----------------------------------------------------------------------

// One route of half a ring where i is a top bit.
void torus_complement(MeshProgram& program, int i, const std::vector<Parity>& where = {});
// Units of torus_complement: g for a top bit, else 2g.
Count torus_complement_units(const MeshGeometry& geometry, int i);
// In one dimension d or n - d beyond it, whichever is shorter; across two, both blocks ride a top
// bit's route together.
void torus_interchange(MeshProgram& program, const Interchange& bits);
void torus_exchange(MeshProgram& program, const Folded& folded, int j);

// Bit e[k] goes to e[k + 1], the last one to e[0], complemented where inverted[k]: all top bits, of
// different dimensions. One route each and two registers.
void top_cycle(MeshProgram& program, const std::vector<int>& e, const std::vector<bool>& inverted);

}  // namespace faro::inline v1::mesh
