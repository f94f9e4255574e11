// Maps whose processor bits depend on memory by a matrix B of full rank n, in max(n, K/2) steps.
//
// Destination q = A·p ^ B·s ^ c. Every processor orders its memory by q, with m - n more forms
// C·s below; the all-to-all p | q r -> q | p r takes every element to its processor; memory is
// ordered once more. Both orders are free.
#pragma once

#include <optional>
#include <string>

#include "faro/planners/planner.hpp"

namespace faro::inline v1 {

// Requires a request for a cube with all ports.
std::optional<std::string> full_rank_refusal(const Request& request);
Estimate full_rank_estimate(const Request& request);
void push_full_rank(const Request& request, std::string_view planner, ScheduleSink& sink);

}  // namespace faro::inline v1
