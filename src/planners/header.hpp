// Whether a schedule's header says what was asked: a verifier judges by the header's goal, so a
// planner that states another one would be judged by its own question.
#pragma once

#include <optional>
#include <string>

#include "faro/planners/planner.hpp"

namespace faro::inline v1 {

// Nothing if it does, else what is wrong: "its goal leaves out element 3 of processor 5". Of a
// butterfly network's final rows it looks at those that binary output allows; a sort may end
// anywhere.
std::optional<std::string> breach_of(const Request& request, const ScheduleHeader& header);

}  // namespace faro::inline v1
