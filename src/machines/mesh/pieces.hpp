// ROUTE of the SIMD mesh on what the proof knows of a register (machines/pieces.hpp): the processor
// whose element is at p has bit b = the parity of row b.
#pragma once

#include "machines/mesh/geometry.hpp"
#include "machines/pieces.hpp"

namespace faro::inline v1 {

// All pieces after ROUTE(dimension, by), merged. Adding a number to a coordinate is an xor on a
// piece where every carry is decided; elsewhere the piece is split by the first undecided bit.
Partition routed(const MeshGeometry& geometry, const Partition& pieces, int dimension,
                 std::int64_t by);

}  // namespace faro::inline v1
