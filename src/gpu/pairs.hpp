// In place: which two tiles a block exchanges, for a map that is its own inverse.
//
// A maps cosets of the tile X to cosets, as I + N with N N = 0. Directions u_i whose moves w_i = N
// u_i are independent make partners: z = sum a_i u_i + sum b_j r_j goes to z + sum a_i w_i, where
// r are w and then what stays. Of each two partners one has b_i = 0 for i the lowest set bit of a:
// the blocks are a and b without that bit, half as many as tiles, none idle. Where the complement
// is no move it is r_0 and every tile has a partner, again told apart by one bit.
#pragma once

#include "faro/gpu/plan.hpp"
#include "gpu/frame.hpp"

namespace faro::inline v1::gpu {

struct PairVectors {
  Words moving, moves, staying;
  Word shift = 0, pair = 0, start = 0;
  bool shifted = false;
};

// `outer` completes the tile to everything.
PairVectors pair_up(const BitMap& map, const Words& tile, const Words& outer);

}  // namespace faro::inline v1::gpu
