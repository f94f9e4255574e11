// The schedules behind push_matmul, one function each; every one pushes begin, slots and finish.
// p[i,j] is processor i·N + j, sums of rows and columns are modulo N, r = N/g.
#pragma once

#include <cstdint>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::matmul {

// N = 1: one multiplication.
void single(const Pops& machine, ScheduleSink& sink);

// The paper's, sections 2.1 and 2.2, d <= N: for each k two slots. One: p[i,k] tells A[i,k] to its
// row, p[k,j] hands B[k,j] to p[j,k]. Two: p[j,k] tells B[k,j] to column j.
void paper_by_row_groups(const Pops& machine, std::uint64_t order, ScheduleSink& sink);

// The paper's, section 2.3, N divides d: the same, g rows and columns at a time. As printed,
// coupler c(K, K) of the group K of row k is driven twice (first in the third slot of N = 4 on
// POPS(8, 2)): B's of columns that belong to K stay where they are.
void paper_by_rows(const Pops& machine, std::uint64_t order, ScheduleSink& sink);

// d <= N in 2N - 2 slots: every processor hears exactly the 2(N-1) operands that it lacks.
void best_by_row_groups(const Pops& machine, std::uint64_t order, ScheduleSink& sink);

// N divides d: all B's first, then A's, `chunk` rows of each group at a time: one by its owner, the
// others over relays in other groups, moved there a slot ahead over couplers that are idle.
void best_by_rows(const Pops& machine, std::uint64_t order, std::uint64_t chunk,
                  ScheduleSink& sink);

// Two groups: A's over the loops while B's cross; then the own B's, half from their owners and half
// back from the other group.
void best_two_groups(const Pops& machine, std::uint64_t order, ScheduleSink& sink);

// Any groups that hold N² processors or more: what a group lacks comes straight from its owner,
// over the couplers that are free and to those who hear nothing yet, in a fixed order.
void direct(const Pops& machine, std::uint64_t order, ScheduleSink& sink);

}  // namespace faro::inline v1::matmul
