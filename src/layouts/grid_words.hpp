// Placements of arrays of any lengths, in the words of the systems that have them.
//
//   read_grid_placement("dtensor:(3,4) [Shard(0), Shard(1)]", {7168, 50257})
//       as torch.chunk cuts: 2390, 2390, 2388 rows; 12565, 12565, 12565, 12562 columns
//   read_grid_placement("jax:mesh x=3 y=4, P('x', 'y')", {7168, 14336})        refused: 7168 over 3
//   read_grid_placement("xla:{devices=[3,4]<=[12]}", {7168, 50257})
//   read_grid_placement("hpf:DISTRIBUTE A(GEN_BLOCK(3, 0, 7), CYCLIC(2)) ONTO P(3, 2)", {10, 9})
//   read_grid_placement("scalapack:M=10 N=9 MB=2 NB=3 RSRC=1 CSRC=0 grid=3x2", {})
//
// JAX takes only lengths that divide; XLA cuts pieces of the length over the tiles, rounded up;
// DTensor cuts each local part as torch.chunk does, in blocks of the length over the ranks, rounded
// up, so that the last may be short and those after it empty; _StridedShard takes lengths that
// divide; HPF's BLOCK is the same rounded up, BLOCK(m) must hold all, GEN_BLOCK lists sizes;
// ScaLAPACK's local arrays are column-major.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {

// Throws NotationError for words that are none, NotExpressible for what the system itself refuses,
// and for partial sums.
GridPlacement read_grid_placement(std::string_view text, const std::vector<std::uint64_t>& shape);

// Whether these are the words of a system that places arrays on ranks.
bool places_on_ranks(std::string_view text);

}  // namespace faro::inline v1
