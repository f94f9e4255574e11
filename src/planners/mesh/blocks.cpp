// The blocks, with the wraparound left alone and used.   [Nassimi, Sahni 1980, sections 3 and 5;
// shortcuts on the torus: faro]
#include "planners/mesh/blocks.hpp"

#include <cstdlib>

#include "base/check.hpp"

namespace faro::inline v1::mesh {
namespace {

// ii-c of INTERCHANGE, the 4-cycle 00 -> 01 -> 11 -> 10 -> 00 of (bit i, bit j): i is complemented,
// j is not.
void four_cycle(MeshProgram& program, int i, int j) {
  program.copy({Rr, Rs}, where_bits({{i, zero}, {j, zero}}));
  program.route_bit(j, 1);
  program.swap({Rr, Rs}, where_bits({{i, zero}, {j, one}}));
  program.route_bit(i, 1);
  program.swap({Rr, Rs}, where_bits({{i, one}, {j, one}}));
  program.route_bit(j, -1);
  program.swap({Rr, Rs}, where_bits({{i, one}, {j, zero}}));
  program.route_bit(i, -1);
  program.copy({Rs, Rr}, where_bits({{i, zero}, {j, zero}}));
}

// Two bits of one ring: both blocks ride the same way, d to the far one, n - 2d on to the near one.
void ring_interchange(MeshProgram& program, int i, int j) {
  const MeshGeometry& geometry = program.geometry();
  const int dimension = geometry.dimension_of(i);
  const std::int64_t by = geometry.distance(i) - geometry.distance(j);
  const std::int64_t d = std::abs(by);
  const std::int64_t side = geometry.side(dimension);
  if (side - d >= 2 * d) {
    interchange(program, {.i = i, .j = j});
    return;
  }
  program.copy({Rr, Rs});
  program.route(dimension, by);
  program.copy({Rs, Rr}, where_bits({{i, one}, {j, zero}}));
  program.route(dimension, by > 0 ? side - 2 * d : 2 * d - side);
  program.copy({Rs, Rr}, where_bits({{i, zero}, {j, one}}));
}

// The interchange of top bit i with bit j, both complemented or neither: blocks (-i, j) and (i,
// -j), or (-i, -j) and (i, j), change places. The first rides bit j's way, both ride half a ring,
// the second rides back.
void blocks_by_top(MeshProgram& program, const Interchange& bits) {
  const int top = bits.i;
  const int j = bits.j;
  const bool inverted = bits.i_inverted;
  const unsigned here = inverted ? zero : one;
  const TernaryMask near = where_bits({{top, zero}, {j, here}});
  const TernaryMask far = where_bits({{top, one}, {j, 1 - here}});
  if (program.geometry().top(j)) {
    program.copy({Rr, Rs});
    program.route_bit(j, 1);
    program.route_bit(top, 1);
    program.copy({Rs, Rr}, near);
    program.copy({Rs, Rr}, far);
    return;
  }
  const int way = inverted ? 1 : -1;
  program.copy({Rr, Rs}, near);
  program.route_bit(j, way);
  program.copy({Rr, Rs}, far);
  program.route_bit(top, 1);
  program.copy({Rs, Rr}, far);
  program.route_bit(j, -way);
  program.copy({Rs, Rr}, near);
}

// The 4-cycle 00 -> 01 -> 11 -> 10 -> 00 of (bit i, bit j) where one of them, or both, are top
// bits: the two moves along a top bit are one route.
void four_cycle_by_top(MeshProgram& program, int i, int j) {
  const auto at = [&](unsigned i_value, unsigned j_value) {
    return where_bits({{i, i_value}, {j, j_value}});
  };
  const bool i_top = program.geometry().top(i);
  const bool j_top = program.geometry().top(j);
  if (i_top && j_top) {
    program.copy({Rr, Rs});
    program.route_bit(j, 1);
    program.swap({Rr, Rs}, at(0, 1));
    program.swap({Rr, Rs}, at(1, 0));
    program.route_bit(i, 1);
    program.copy({Rs, Rr}, at(1, 1));
    program.copy({Rs, Rr}, at(0, 0));
  } else if (i_top) {
    program.copy({Rr, Rs}, at(0, 0));
    program.route_bit(j, 1);
    program.swap({Rr, Rs}, at(0, 1));
    program.copy({Rr, Rs}, at(1, 0));
    program.route_bit(i, 1);
    program.copy({Rs, Rr}, at(0, 0));
    program.swap({Rr, Rs}, at(1, 1));
    program.route_bit(j, -1);
    program.copy({Rs, Rr}, at(1, 0));
  } else {
    program.copy({Rr, Rs}, at(1, 0));
    program.route_bit(i, -1);
    program.swap({Rr, Rs}, at(0, 0));
    program.copy({Rr, Rs}, at(1, 1));
    program.route_bit(j, 1);
    program.copy({Rs, Rr}, at(1, 0));
    program.swap({Rr, Rs}, at(0, 1));
    program.route_bit(i, 1);
    program.copy({Rs, Rr}, at(1, 1));
  }
}

}  // namespace

void complement(MeshProgram& program, int i, const std::vector<Parity>& where) {
  program.copy({Rr, Rs}, where_bits({{i, one}}), where);
  program.route_bit(i, -1);
  program.swap({Rr, Rs}, where_bits({{i, zero}}), where);
  program.route_bit(i, 1);
  program.copy({Rs, Rr}, where_bits({{i, one}}), where);
}

void interchange(MeshProgram& program, const Interchange& bits) {
  const int i = bits.i;
  const int j = bits.j;
  const bool i_inverted = bits.i_inverted;
  const bool j_inverted = bits.j_inverted;
  const MeshGeometry& geometry = program.geometry();
  const bool one_dimension = geometry.dimension_of(i) == geometry.dimension_of(j);
  FARO_CHECK(i != j && !(one_dimension && (i_inverted || j_inverted)));
  if (i_inverted != j_inverted) {
    if (i_inverted)
      four_cycle(program, i, j);
    else
      four_cycle(program, j, i);
    return;
  }
  // Two blocks change places: (-i, j) and (i, -j), or (-i, -j) and (i, j) if both are complemented.
  const unsigned here = i_inverted ? zero : one;
  const TernaryMask near = where_bits({{i, zero}, {j, here}});
  const TernaryMask far = where_bits({{i, one}, {j, 1 - here}});
  const int j_way = i_inverted ? 1 : -1;
  const auto go = [&](int way) {
    if (one_dimension) {
      const std::int64_t by = geometry.distance(i) - geometry.distance(j);
      program.route(geometry.dimension_of(i), way * by);
    } else if (way > 0) {
      program.route_bit(j, j_way);
      program.route_bit(i, 1);
    } else {
      program.route_bit(i, -1);
      program.route_bit(j, -j_way);
    }
  };
  program.copy({Rr, Rs}, near);
  go(1);
  program.swap({Rr, Rs}, far);
  go(-1);
  program.copy({Rs, Rr}, near);
}

void exchange(MeshProgram& program, const Folded& folded, int j) {
  const auto [i, stay, go] = folded;
  program.copy({Rr, stay}, where_bits({{i, zero}, {j, one}}));
  program.route_bit(j, -1);
  program.swap({Rr, go}, where_bits({{i, zero}, {j, zero}}));
  program.route_bit(j, 1);
  program.copy({stay, Rr}, where_bits({{i, zero}, {j, one}}));
}

void torus_complement(MeshProgram& program, int i, const std::vector<Parity>& where) {
  if (!program.geometry().top(i)) {
    complement(program, i, where);
    return;
  }
  program.copy({Rr, Rs}, {}, where);
  program.route_bit(i, 1);
  program.copy({Rs, Rr}, {}, where);
}

Count torus_complement_units(const MeshGeometry& geometry, int i) {
  return static_cast<Count>(geometry.distance(i)) * (geometry.top(i) ? 1 : 2);
}

void torus_exchange(MeshProgram& program, const Folded& folded, int j) {
  const auto [i, stay, go] = folded;
  if (!program.geometry().top(j)) {
    exchange(program, folded, j);
    return;
  }
  program.copy({Rr, stay}, where_bits({{i, zero}, {j, one}}));
  program.copy({Rr, go}, where_bits({{i, zero}, {j, zero}}));
  program.route_bit(j, 1);
  program.copy({go, Rr}, where_bits({{i, zero}, {j, zero}}));
  program.copy({stay, Rr}, where_bits({{i, zero}, {j, one}}));
}

void torus_interchange(MeshProgram& program, const Interchange& bits) {
  const auto [i, j, i_inverted, j_inverted] = bits;
  const MeshGeometry& geometry = program.geometry();
  if (geometry.dimension_of(i) == geometry.dimension_of(j)) {
    ring_interchange(program, i, j);
  } else if (!geometry.top(i) && !geometry.top(j)) {
    interchange(program, bits);
  } else if (i_inverted == j_inverted) {
    blocks_by_top(program, geometry.top(i) ? bits : Interchange{j, i, j_inverted, i_inverted});
  } else if (i_inverted) {
    four_cycle_by_top(program, i, j);
  } else {
    four_cycle_by_top(program, j, i);
  }
}

void top_cycle(MeshProgram& program, const std::vector<int>& e, const std::vector<bool>& inverted) {
  // Swaps Rr and Rs where bit a differs from bit b, or agrees with it.
  const auto swap_where = [&](int a, int b, bool differs) {
    for (const unsigned value : {zero, one})
      program.swap({Rr, Rs}, where_bits({{a, value}, {b, differs ? 1 - value : value}}));
  };
  // After the route of e[k] each occupied processor holds two elements that differ in that bit: in
  // Rs the one that has the processor's, in Rr the other. The first one rides on where its bit
  // e[k + 1] is not what it has to become.
  program.copy({Rr, Rs});
  program.route_bit(e[1], 1);
  for (std::size_t k = 2; k < e.size(); ++k) {
    swap_where(e[k], e[k - 1], !inverted[k - 1]);
    program.route_bit(e[k], 1);
  }
  swap_where(e[0], e.back(), !inverted.back());
  program.route_bit(e[0], 1);
  // The first bit came to e[1]: where it is not what stands at e[0], the element rode.
  for (const unsigned value : {zero, one})
    program.copy({Rs, Rr}, where_bits({{e[0], value}, {e[1], inverted[0] ? value : 1 - value}}));
}

}  // namespace faro::inline v1::mesh
