// What this rank has sent, counted by standing in for MPI's own functions.
#pragma once

#include <cstdint>
#include <set>

namespace faro::testing {

struct Sent {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::set<int> partners;
  std::uint64_t all_to_all_bytes = 0;  // to other ranks, by MPI_Ialltoall
  std::uint64_t reductions = 0;
  std::uint64_t under_way_most = 0;  // requests that were started and not yet waited for
};

// Since the last call.
Sent take_sent();

// Bytes of aligned memory, which is what buffers are, that anybody asked for since it was asked.
std::uint64_t take_aligned_bytes();

}  // namespace faro::testing
