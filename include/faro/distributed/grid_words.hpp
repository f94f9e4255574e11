// A move between placements of any lengths, as users say it.
//
//   const GridMoveOptions how{.element_bytes = 8};
//   grid_move("dtensor:(3,) [Shard(0)] => dtensor:(3,) [Shard(1)]", {100, 50257}, how)
//   grid_move("dtensor:(3,) [Shard(0)] => (t i=4) c -> t c i => jax:mesh x=2, P(None, 'x')",
//             {24, 10}, how)
//
// FROM => TO, or FROM => MAP => TO where the new array has its axes, or digits of them, in another
// order or reversed; both sides are words of systems that place arrays on ranks
// (layouts/grid_words.hpp). The shape is the old array's.
#pragma once

#include <string_view>
#include <vector>

#include "faro/distributed/grid_move.hpp"

namespace faro::inline v1 {

// Throws what the words' readers do, and Error(impossible) as the GridMove of a Map does.
// options.order and .reversed must be empty.
GridMove grid_move(std::string_view words, const std::vector<std::uint64_t>& shape,
                   GridMoveOptions options);

// Whether every side of the words is a placement on ranks, so that grid_move reads them.
bool says_grid_move(std::string_view words);

}  // namespace faro::inline v1
