// A certificate of link weights for a lower bound on a POPS network, checked from its definition.
//
// Put a weight w(from, to) >= 0 on every coupler. A slot uses each coupler once, so k slots pay at
// most k · (sum of w). A datum that must go from group i to j pays at least the cheapest way from i
// to j; one that moves inside its group pays its loop or the cheapest way out and back. So
//
//   slots >= ceil(sum over data of cheapest way / sum of w)
//
//   two groups exchange 9 data each, w = 1 on both couplers between them:  18 / 2 = 9 slots
//
// Limit: pops_certificate_groups_max groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// demand[i·g + j]: data that move, from group i to group j.
// Nothing if bound.value is proved (or no weights are claimed), else why not.
std::optional<std::string> certificate_fault(const Bound& bound, std::uint64_t groups,
                                             const std::vector<Count>& demand);

}  // namespace faro::inline v1
