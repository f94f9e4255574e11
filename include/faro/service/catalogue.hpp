// Every planner of the library, in one explicit table. A new algorithm is one line here.
//
//   find_planner("three-fifths")->offer(request).estimate.cost.value
#pragma once

#include <span>
#include <string_view>

#include "faro/planners/planner.hpp"

namespace faro::inline v1 {

std::span<const Planner* const> catalogue();

// Nothing if there is none of this name.
const Planner* find_planner(std::string_view name);

}  // namespace faro::inline v1
