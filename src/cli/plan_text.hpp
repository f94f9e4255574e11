// A plan's report for people and for programs.
#pragma once

#include <string>

#include "cli/output.hpp"
#include "faro/service/plan.hpp"

namespace faro::cli {

// Lines that can be read aloud, and the use of the links as bars.
std::string plan_text(const Plan& plan, const Output& out);

// Format faro-plan/1.
std::string plan_json(const Plan& plan);

}  // namespace faro::cli
