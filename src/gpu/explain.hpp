// What a plan moves, counted, in words and as data of the format faro-gpu/1.
#pragma once

#include "base/report.hpp"
#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {

Report explain(const Plan& plan);

}  // namespace faro::inline v1::gpu
