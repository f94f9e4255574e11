// Jobs that take their dimensions in orders of their own, with exchanges more than needed where
// these open what would have to wait.
//
//   sums of prefixes, p_j gets memory + p_0 + ... + p_j: in the common order, 0 n-1 .. 2 1, the
//   first job is alone with dimension 0, the last with dimension 1, and K/2 + n - 1 steps go by;
//   1' n-1 .. 2 1 0 is legal too, 1' an exchange of 1 more, and 0 i .. 1 (i+1)' n-1 .. i+1
//
// Orders and steps are negotiated (search/route.hpp): links of a dimension and step have room
// for one job; a job looks at its own order, at some that differ from it by one exchange moved,
// left out or put in, and at some that were drawn in advance, and takes the cheapest of them in the
// cheapest steps.
#pragma once

#include "planners/cube/affine/job_plan.hpp"

namespace faro::inline v1::jobs {

// Begins with a plan, ends at `enough` steps or when the effort is spent.
JobPlan negotiated(const Moved& moved, const JobPlan& plan, std::uint64_t enough);

}  // namespace faro::inline v1::jobs
