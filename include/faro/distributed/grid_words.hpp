// A move between placements of any lengths, as users say it.
//
//   grid_move("dtensor:(3,) [Shard(0)] => dtensor:(3,) [Shard(1)]", {100, 50257}, {.element_bytes =
// 2})
//   grid_move("hpf:DISTRIBUTE A(BLOCK, *) ONTO P(12) => r c -> c ~r => hpf:DISTRIBUTE B(BLOCK, *)
// ONTO P(8)",
//             {12001, 77}, {.element_bytes = 8})
//
// FROM => TO, or FROM => MAP => TO where the new array has its axes in another order or reversed;
// both sides are words of systems that place arrays on ranks (faro/layouts/grid_words.hpp). The
// shape is the old array's.
#pragma once

#include <string_view>
#include <vector>

#include "faro/distributed/grid_move.hpp"

namespace faro::inline v1 {

// Throws what the words' readers do, and Error(impossible) for maps that do more than to move and
// reverse whole axes: parts of ranks would be no boxes. options.order and .reversed must be empty.
GridMove grid_move(std::string_view words, const std::vector<std::uint64_t>& shape,
                   GridMoveOptions options);

// Whether every side of the words is a placement on ranks, so that grid_move reads them.
bool says_grid_move(std::string_view words);

}  // namespace faro::inline v1
