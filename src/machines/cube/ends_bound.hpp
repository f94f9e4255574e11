// Dimension d, which half of the elements cross. In the first step only those processors use their
// link that hold an element which must cross, in the last step only those where one ends that did.
// Where neither depends on memory, that is half of them:
//
//   a:2 -> a[0] a[0]+a[1], K = 64     32 steps for what crosses dimension 1, and one more because
//                                     half of its links stand still at first and half at last
#pragma once

#include <vector>

#include "machines/bounds.hpp"
#include "machines/cube/cube_goal.hpp"

namespace faro::inline v1 {

// Adds a bound if it is more than half of the elements. Requires g.row(d) to be other than bit d.
void add_ends_bound(const CubeGoal& g, const BitMap& inverse, int d, std::uint64_t elements,
                    std::vector<Bound>& out);

}  // namespace faro::inline v1
