// Job plans by formula: the ring, and one job after another.
//
// Ring. The dimensions to do, n' of them, all fed, stand in order on a ring of L = max(n', K/2)
// places, the others are waiting places; a job moves on by one place a step, so jobs never meet.
// A job that begins at place i > 0
// goes through the order from there, which is legal for some (plain); else it visits its first
// dimension once more: at first to Y = u ^ f·p, and after the whole lap, in step L + 1, for good.
// f comes from the walk of theorem 2 for the rows from place i + 1 on round to i, the columns
// from i on; where there is none the job waits for its first place that can begin.
//   cost: L + the most of (steps waited + 1 if it visits) over the K/2 cheapest places
// Where that is more than L + 1 other orders are tried, the same ones always.
//
// Theorem 4. Where [B·b | A ^ B·F] in this order is lower triangular with ones on the diagonal
// all places can begin: at most max(n', K/2) + 1 steps. All permutations of bits are of this
// kind whose processor bits are all in chains that begin in memory, and most changes of layout.
// Proof. f the unit vector of the last dimension times some bit. Rows after i, columns from i: unit
// triangular. Row 0 meets u in the last column, where that bit serves. Row k + 1 at column k < i:
// rows 0 .. k + 1 vanish on the columns from i on, so y vanishes on the rows after i, and of rows
// 0 .. k + 1 only the last has column k. Row i at column i - 1 likewise.
//
// One port. The jobs one after another; what memory does not feed is opened first in every job
// (job_shop.hpp): n'K/2 steps where all is fed, which is the least possible, and K/2 more for every
// group that must be opened.
#pragma once

#include "planners/cube/affine/job_plan.hpp"

namespace faro::inline v1::jobs {

JobPlan ring(const Moved& moved);
JobPlan one_after_another(const Moved& moved);

}  // namespace faro::inline v1::jobs
