// Each element on a shortest way: ways of flocks (flocks.hpp), links negotiated.   [faro]
//   applies:  maps whose processor bits are all fed from memory, bit permutations; K >= 2, while
//             the search has a second for it
//   cost:     counted; max(n', K/2) + 2 or less for every map of up to 8 dimensions that we know
//   bound:    machines/bounds
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry affine_router;

}  // namespace faro::inline v1
