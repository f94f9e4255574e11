// A coordinate before and after a map: which pairs occur.
//
//   ring of 4, reversal:   (0, 0) (1, 2) (2, 1) (3, 3) = (0, 0) ^ span{(1, 2), (2, 1)}
//
// For an affine map they are an affine space, given here by a basis that is reduced digit by digit
// from the top, so that who goes through the digits decides about one or two directions at each.
#pragma once

#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::mesh {

struct CoordinatePairs {
  int width = 0;
  Word first_before = 0;
  Word first_after = 0;
  struct Direction {
    Word before = 0;
    Word after = 0;
  };
  std::vector<Direction> basis;
};

// 2t + 1 where the highest digit t of a direction is one of `after`, else 2t; -1 for none. No two
// directions of a basis have the same.
int leading(const CoordinatePairs::Direction& direction, int width);

CoordinatePairs pairs_of(const MeshGeometry& geometry, const BitMap& map, int dimension);

}  // namespace faro::inline v1::mesh
