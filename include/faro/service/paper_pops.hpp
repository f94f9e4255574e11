// The page of "Matrix multiplication and data routing using a partitioned optical passive stars
// network", Sahni, 2000.
#pragma once

#include <span>

#include "faro/planners/planner.hpp"
#include "faro/service/paper.hpp"

namespace faro {

// Made with these planners: a broken one shows on the page.
PaperPage pops_page(std::span<const Planner* const> planners);

extern const Paper pops_paper;

}  // namespace faro
