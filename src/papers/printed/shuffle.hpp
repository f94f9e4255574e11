// The algorithms of the paper under their own names, for comparison: ring.hpp and cycles.hpp are
// at least as fast.   [Johnsson, Ho 1991: Generalized Shuffle Permutations on Boolean Cubes]
//
//   shuffle-adjacent     neighbours change places, pair after pair (section 4, first sequence)
//   shuffle-pipelined    every job starts in the first dimension of a chain (Figures 2 and 8):
//                        one chain K/2 + s - 1; several: blocks of jobs begin with different chains
//   shuffle-concurrent   chains of any lengths, some jobs start inside one with an extra storage
//                        bit (Figures 5 and 9 in general, Theorems 1 and 2): N + 3 or K/2 + 2,
//                        the larger; pipelined where that is less
//   shuffle-by-exchange  several chains, each round an all-to-all exchange of those that are long
//                        enough; of equal length b ceil(K/2b) + N - b, b chains, N dimensions
//   shuffle-by-exchange-concurrent
//                        two chains, some blocks of jobs begin in a later round: the larger of
//                        N + 3b and K/2 + 2b, pipelined where that is less
//   real-a1, real-a2     rounds of s jobs or elements: (s+1) ceil(K/2s), s ceil(K/s)
//   real-a1-one-port, real-a2-one-port     (s+1) K/2, s K
//   all-to-all           every processor bit changes places with a memory bit, i:n | m:n -> m | i:
//                        all-to-all personalised communication, max(n, K/2) steps
//
// Alignment and realignment (so that partners use equal slots) are in every one of them: the local
// steps before the first and after the last exchange.
#pragma once

#include "planners/cube/shuffle/phase.hpp"

namespace faro::inline v1::shuffle {

// Figures 5 and 9 in general: each chain has its groups of two jobs that start inside it; no groups
// is pipelining in blocks, as Figures 2 and 8 are printed. For one chain equal to Theorem 1.
//
//   b chains, N dimensions, P jobs:  min( P <= N: N - 1 + ceil(P/b), else P + longest - 1,
//                                         longest >= 4: max(N + 3, P + 2) )
//
// (tested: chains of equal length up to 60 dimensions, and of unequal length, where P <= N can take
// more than ceil(P/b): a block then has no more jobs than the chain before it has dimensions)
struct ConcurrentPlan {
  std::vector<int> groups;
  Count steps = 0;
};
ConcurrentPlan concurrent_plan(const std::vector<int>& lengths, std::uint64_t jobs);

// As printed; where they cannot be reached docs/papers.md says so.
Count theorem_1(int length, std::uint64_t elements);
Formula theorem_2(const std::vector<int>& lengths, std::uint64_t elements);

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
std::vector<JobRow> concurrent_rows(const std::vector<int>& lengths, std::uint64_t jobs);
Count steps_of(const std::vector<JobRow>& rows);

// What the rows say of the structure's chains; requires at most K/2 rows. With fewer the slots
// from 2 * rows on are empty, if the rows that start inside a chain fill whole blocks of controls.
Phase rows_phase(const Structure& s, const std::vector<JobRow>& rows);

// The pairs from (first, first - 1) on, positions counted from the storage bit of the one chain, or
// along the one cycle.
Program adjacent_program(const Structure& s, Hypercube::Ports ports, int first);

Phase pipelined_phase(const Structure& s);
Phase concurrent_phase(const Structure& s);
Phase by_exchange_phase(const Structure& s);
// Two chains of equal length without complements, two storage bits beside theirs.
bool exchanges_concurrently(const Structure& s);
Count concurrent_exchange_steps(const Structure& s);
Phase concurrent_exchange_phase(const Structure& s);
Phase real_a1_phase(const Structure& s);
Phase real_a2_phase(const Structure& s);
Phase real_a2_one_port_phase(const Structure& s);

}  // namespace faro::inline v1::shuffle
