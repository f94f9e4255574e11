// Each element on a shortest way: ways of flocks (flocks.hpp), links negotiated.   [faro]
//   applies:  maps whose processor bits are all fed from memory, bit permutations; K >= 2, while
//             flocks are few and the search short
//   cost:     counted; max(n', K/2, bound) for most of up to 8 dimensions with up to 64 elements
//   bound:    machines/bounds
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry affine_router;

}  // namespace faro::inline v1
