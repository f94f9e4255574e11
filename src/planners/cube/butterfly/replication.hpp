// One element at a time, with replication: every processor receives what it needs from its
// neighbours and forms one output of each butterfly.   [Johnsson, Ho 1990: butterfly emulation,
// section 5, Theorem 5; several elements after section 1]
//
//   K = 1        n steps                      bound n: optimal
//                2n - 1 least significant bit first with a change of code
//   binary code  K + n - 1                    bound max(n, K/2) or max(n, K)
//   Gray code    2K + n - 2 (n = 1: K)
//   cyclic code of the whole index: K/2 more
//
// The only closed form that leaves every index bit at its place, so that passes can follow each
// other; it takes any consecutive run of stages for that. Tested n <= 8, K <= 32.
#pragma once

#include "faro/planners/planner.hpp"
#include "faro/schedules/cost.hpp"

namespace faro::inline v1::butterfly {

// A plan by replication for some of the stages: those of index bits highest .. lowest, in the order
// of the request. A bitonic sort of one element a processor is p such passes (sorting.cpp).
struct StageRange {
  int highest = 0;
  int lowest = 0;
};

// The goal in the header is that of a whole network; a pass over fewer stages is no schedule of its
// own for a verifier. Requires replication not to refuse the request, and output in the code of the
// input unless the range is whole.
void build_stages(const ButterflyNetwork& request, StageRange range, CompiledSink& sink);

}  // namespace faro::inline v1::butterfly
