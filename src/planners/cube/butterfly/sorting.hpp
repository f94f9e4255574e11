// Bitonic sort on the cube: p passes, pass k over the index bits k..0, ascending where index bit
// k+1 is clear.   [the network: Batcher 1968; its emulation: faro, after Johnsson, Ho 1990]
//
//   K >= 2, consecutive   (n + 1) K/2 + n (n + 1)/2 - 1 steps     bound max(n, K)
//   K >= 2, cyclic        K/2 more
//   K = 1                 n (n + 1)/2, by replication
//
//   n 1, p 2, consecutive, binary: pass 0 is local; one exchange brings bit 1 down into memory, and
//   after its stage another one brings bit 0 down: 2 steps
//
// Every code of Table 1 costs the same. Elements end where the last pass leaves them. Tested n <=
// 5, K <= 32.
#pragma once

#include "planners/computing_entry.hpp"

namespace faro::inline v1 {

// Its compiled schedule pushes begin, for every pass begin_pass and its steps, and finish.
extern const ComputingEntry bitonic_sort;

}  // namespace faro::inline v1
