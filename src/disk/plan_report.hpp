// What a plan of passes over a file says of itself: format faro-file-plan/1, and its words.
#pragma once

#include "base/report.hpp"
#include "faro/disk/permute_file.hpp"

namespace faro::inline v1 {

Report report_of(const FilePermutePlan& plan);

}  // namespace faro::inline v1
