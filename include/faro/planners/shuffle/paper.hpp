// The algorithms of the paper under their own names, for comparison: ring.hpp and cycles.hpp are
// at least as fast.   [Johnsson, Ho 1991: Generalized Shuffle Permutations on Boolean Cubes]
//
//   shuffle-pipelined    every job starts in the first dimension of a chain (Figures 2 and 8):
//                        one chain K/2 + s - 1; several: blocks of jobs begin with different chains
//   shuffle-concurrent   one chain, some jobs start in the middle with an extra storage bit
//                        (Figure 5 in general, Theorem 1): min(K/2 + s - 1, max(s + 3, K/2 + 2))
//   shuffle-by-exchange  several chains of equal length, each round an all-to-all exchange:
//                        b ceil(K/2b) + N - b, b chains, N dimensions
//   real-a1, real-a2     rounds of s jobs or elements: (s+1) ceil(K/2s), s ceil(K/s)
//   real-a2-one-port     s K
//   all-to-all           every processor bit changes places with a memory bit, i:n | m:n -> m | i:
//                        all-to-all personalised communication, max(n, K/2) steps
//
// Alignment and realignment (so that partners use equal slots) are in every one of them: the local
// steps before the first and after the last exchange.
#pragma once

#include "faro/planners/shuffle/phase.hpp"

namespace faro::shuffle {

// Figure 5 in general, one chain of `length` dimensions, by its own parameters: g groups of two
// rows. Equals Theorem 1.
struct ConcurrentPlan {
  int groups = 0;
  Count steps = 0;
};
ConcurrentPlan concurrent_plan(int length, std::uint64_t jobs);

// As printed; where they cannot be reached docs/papers.md says so.
Count theorem_1(int length, std::uint64_t elements);
Count theorem_2(const std::vector<int>& lengths, std::uint64_t elements);

// A row of the paper's tables: what one job does, with steps from 0. For any number of jobs: the
// figures have 9, 12 and 14.
struct RowEntry {
  Time step = 0;
  int chain = 0;
  int position = 0;    // dimension number in the chain, from 0
  bool spare = false;  // the extra storage bit controls
};
using JobRow = std::vector<RowEntry>;
std::vector<JobRow> pipelined_rows(const std::vector<int>& lengths, std::uint64_t jobs);
std::vector<JobRow> concurrent_rows(int length, std::uint64_t jobs);
Count steps_of(const std::vector<JobRow>& rows);

Phase pipelined_phase(const Structure& s);
Phase concurrent_phase(const Structure& s);
Phase by_exchange_phase(const Structure& s);
Phase real_a1_phase(const Structure& s);
Phase real_a2_phase(const Structure& s);
Phase real_a2_one_port_phase(const Structure& s);

}  // namespace faro::shuffle
