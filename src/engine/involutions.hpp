// Any affine map as a sequence of involutions, each of which can be done in place in one pass.
//
//   identity                      none
//   an involution                 1
//   a permutation of bits,        2: the reflections of each cycle, i -> -i and i -> 1 - i, with
//     with complements               complements that the path of equations between them fixes
//   unipotent (Gray code, any     2: J and J·A, where J sends A^k·g to A^-k·g along each Jordan
//     unit triangular matrix)        chain, so J·A·J is the inverse of A   [Djokovic 1967]
//   with a direct basis of        3: one involution R turns A into A·R, which only cycles the
//     chains v, A·v, A^2·v, ..       chains; those are reflected as above. Almost every matrix.
//   every other                   at most 6: A = P·L·U, two each
//
// and one more, a translation, where no choice of the factors' own translations gives the map's.
#pragma once

#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::engine {

// In the order of application.
std::vector<BitMap> involutions(const BitMap& map);

bool is_involution(const BitMap& map);

}  // namespace faro::inline v1::engine
