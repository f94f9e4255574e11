// The tuning in effect, for planning: no copy, and a load after the first time.
#pragma once

#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

// What settings file and built-in rows say now.
MachineTuning tuning_found();

// Stays valid for ever.
const MachineTuning& tuning();

}  // namespace faro::inline v1::engine
