// What shuffles cost where packets have a start-up, and what was measured: Tables 1 and 2 of
// Johnsson and Ho 1991 with packets, their section 5, the baseline of section 6.
#pragma once

#include <vector>

#include "papers/paper.hpp"

namespace faro::inline v1 {

// Table 1, Table 2 with packets, section 5, section 6.
std::vector<PaperTable> shuffle_prices();

}  // namespace faro::inline v1
