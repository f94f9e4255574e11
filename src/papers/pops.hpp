// The page of "Matrix multiplication and data routing using a partitioned optical passive stars
// network", Sahni, 2000.
#pragma once

#include <span>

#include "faro/planners/planner.hpp"
#include "papers/paper.hpp"

namespace faro::inline v1 {

// Made with these planners: a broken one shows on the page.
PaperPage pops_page(std::span<const Planner* const> planners, const PaperTold& told = {});

extern const Paper pops_paper;

}  // namespace faro::inline v1
