// What a rechunking says of itself, planned or done: a tree, and its words.
#pragma once

#include "base/report.hpp"
#include "faro/disk/rechunk.hpp"

namespace faro::inline v1 {

Report report_of(const RechunkFacts& plan);     // faro-box-plan/1
Report report_of(const RechunkReport& report);  // a row of faro-rechunk/1

}  // namespace faro::inline v1
