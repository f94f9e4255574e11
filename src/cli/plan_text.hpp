// A plan's report.
#pragma once

#include <string>

#include "cli/output.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {

// Lines that can be read aloud, and the use of the links as bars. `typed`: the map as the user says
// it, if there is one.
Report report_of(const MachinePlan& plan, const std::string& typed, const Output& out);

}  // namespace faro::cli
