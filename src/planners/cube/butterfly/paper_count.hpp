// What the paper prints for a layout and order, whichever planner answers.
//
//   cyclic binary||gray, n 6, K 4:  Theorem 1, K/2 + n - 2 = 6
#pragma once

#include <optional>

#include "faro/planners/planner.hpp"
#include "faro/schedules/cost.hpp"

namespace faro::inline v1::butterfly {

// The paper's best for the request; nothing where it prints none: dimensions restored in Gray code.
std::optional<PaperCount> paper_count(const ButterflyNetwork& request);

}  // namespace faro::inline v1::butterfly
