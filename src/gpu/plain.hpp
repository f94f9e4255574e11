// The loop to[map(i)] = from[i], one thread an element, as a plan that is counted beside a kernel's
// and never launched, so that it may have more blocks than a launch takes.
#pragma once

#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {

// Requires a map of bits.
Plan plain_loop(const Plan& of);

}  // namespace faro::inline v1::gpu
