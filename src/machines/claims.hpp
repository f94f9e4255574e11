// The end of every verdict: what the header claims against what the verifier counted.
#pragma once

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// Adds `cost-claim` if the cost claimed is another, and `bound-claim` if nothing was wrong and yet
// a bound above the cost is claimed, or one that its certificate does not prove; else says whether
// the bound is checked. Violations are told of `step`.
void judge_claims(Verdict& verdict, const ScheduleHeader& header, Count step);

}  // namespace faro::inline v1
