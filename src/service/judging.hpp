// A plan that nobody has verified yet, verified: for those who show what it costs before.
#pragma once

#include "faro/service/plan.hpp"

namespace faro::inline v1 {

// The same plan with its verdicts, as plan() makes it without `verify`; nothing is searched again.
Plan judged(const Plan& plan);

}  // namespace faro::inline v1
