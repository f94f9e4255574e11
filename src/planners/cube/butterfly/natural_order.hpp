// Natural order: a butterfly network as it is cheapest, and an affine rearrangement of processor
// and memory bits behind it.   [faro]
//
//   memory first      the network, K/2 by sectioning, then the rearrangement, about K/2
//   processor first   the processor stages alone, K/2; the rearrangement; the memory stages
//
//   n 6, K 64, whatever code:   K/2 + max(n, K/2) = 64 steps     bound max(n, K): optimal
//
// Both parts are whatever costs least together: every network planner is asked, and plan() for the
// rearrangement that its layout leaves.
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry natural_order;

}  // namespace faro::inline v1
