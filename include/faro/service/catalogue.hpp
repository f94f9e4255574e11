// Every planner of the library, in one explicit table. A new algorithm is one line here.
//
//   find_planner("three-fifths")->offer(request).estimate.cost.value
#pragma once

#include <span>
#include <string_view>

#include "faro/planners/planner.hpp"

namespace faro::inline v1 {

std::span<const Planner* const> catalogue();

// Those that plan() chooses among: all but the papers' own algorithms that never win, which come
// last in the catalogue and answer to their names.
std::span<const Planner* const> asked_planners();

// Nothing if there is none of this name.
const Planner* find_planner(std::string_view name);

}  // namespace faro::inline v1
