// One element a processor, moved and not copied: half of the processors send theirs first, so the
// lower half of the cube has two each; there bi-sectioning with code conversion between processors
// takes them through, and a last step splits them over the whole cube.
//   [Johnsson, Ho 1990: section 5, before Theorem 5]
//
//   n + 1 steps; Theorem 5's replication makes it n
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry single_memory;

}  // namespace faro::inline v1
