// Jobs that start inside a chain, with several chains: two by two.
//
// A split job holds the spare bit and its chain's control exchanged when it ends. With three or
// more controls that is put right only between two jobs x and x' = x ^ spare ^ control (up to M),
// so the pairs of all chains must be disjoint edges of the graph with these edges.
//
//   controls 0, 1, spare 2, M = 0b111: the jobs 0b000, 0b010, 0b100, 0b110 are two pairs of chain 0
//   ({000, 010}, {100, 110}) or two of chain 1 ({000, 110}, {010, 100})
#pragma once

#include <array>
#include <span>
#include <vector>

#include "planners/cube/shuffle/phase.hpp"

namespace faro::inline v1::shuffle {

struct SplitJobs {
  std::vector<std::array<Slot, 2>> pairs;  // pairs[i] of chain wanted[i]
  std::vector<Slot> left;                  // the other jobs, ascending
};

// Requires a phase with the spare control and that there are such pairs.
// (tested: whatever the ring and the concurrent starts want, up to 40 dimensions)
SplitJobs split_jobs(const Structure& s, const Phase& phase, std::span<const int> wanted);

}  // namespace faro::inline v1::shuffle
