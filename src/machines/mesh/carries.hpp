// Wraparound that propagates, exactly: what leaves a row at its end enters the next, so a route of
// one up along a dimension adds its stride to the processor's number, modulo N, wherever it starts.
//
//   4x4: strides 4 and 1. With a_k unit routes up and b_k down an element gets from p to p + d if
//   d = 4 x_1 + x_0 modulo 16 with -b_k <= x_k <= a_k, in any order of the routes
//
// So with as many registers as one likes the fewest routes are the least sum of a_k + b_k that
// serves every d that occurs; Theorem 6.2 says how far below gamma they are at most.
#pragma once

#include <optional>
#include <vector>

#include "faro/base/count.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1::mesh {

// The fewest routes, from `at_least`, which is known to be a bound, upward: their number, and one
// choice of so many, a_k at 2k and b_k at 2k + 1. Where finding all of it takes too long, the most
// that is proved and no choice. Requires at most 2^8 processors; `shifts` are d modulo N.
struct CarriedRoutes {
  Count count = 0;
  std::vector<std::int64_t> choice;
};
CarriedRoutes routes_with_carries(const MeshGeometry& geometry, std::vector<Word> shifts,
                                  Count at_least);

}  // namespace faro::inline v1::mesh
