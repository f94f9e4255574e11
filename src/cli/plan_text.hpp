// A plan's report for people.
#pragma once

#include <string>

#include "cli/output.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {

// Lines that can be read aloud, and the use of the links as bars. `typed`: the map as the user says
// it, if there is one.
std::string plan_text(const Plan& plan, const std::string& typed, const Output& out);

}  // namespace faro::cli
