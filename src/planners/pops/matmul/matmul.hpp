// Products of matrices on a POPS network.
//
// C = A·B of order N; processor i·N + j holds A[i,j] and B[i,j] and gets C[i,j]. The paper and
// `best`: d·g = N² processors, and d divides N (a row is some groups) or N divides d (a group is
// r = N/g rows). `direct`: any d·g >= N², where groups cut rows or are left empty.
//
//                     slots (communication)      rounds      registers
//   paper, d <= N     2N                         N           6
//   paper, d > N      2N²/g                      N           6
//   best, d <= N      2N - 2, optimal            N           N + 4
//   best, g = 2       3N²/4, meets the bound     found       2N + 3
//   best, else        rN + N·ceil(r/p) (+1 if p > 1), p = min(r, floor((g+1)/2))
//                                                N·ceil(r/p) N + 5
//
//   direct             counted, about 2 max(N, d)      found       2N + 3
//
//   N = 2 on POPS(2, 2): the paper takes 4 slots, ours 2
//
// A product of order 1 is one multiplication. Sahni 2000, section 2; ours: faro.
// Limit: order 4096, so that replay can follow; `direct` 64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry pops_matmul;        // best
extern const PlannerEntry pops_matmul_paper;  // the paper's
extern const PlannerEntry pops_matmul_direct;

enum class MatmulAlgorithm { paper, best, direct };

// Why the machine cannot hold matrices of this order, naming the nearest machine that fits.
std::optional<std::string> matmul_misfit(const Pops& machine, std::uint64_t order);
// Why an algorithm cannot multiply matrices of this order there; nothing if it can.
std::optional<std::string> matmul_refusal(const Pops& machine, std::uint64_t order,
                                          MatmulAlgorithm algorithm = MatmulAlgorithm::best);

// The admissible machine of order² processors whose group size is nearest, as a ratio.
Pops nearest_matmul_machine(const Pops& machine, std::uint64_t order);

// Slots; all require no refusal.
Formula matmul_slots(const Pops& machine, std::uint64_t order, MatmulAlgorithm algorithm);

// Pushes begin, slots and finish.
void push_matmul(const Pops& machine, std::uint64_t order, MatmulAlgorithm algorithm,
                 ScheduleSink& sink);

}  // namespace faro::inline v1
