// The page of "On the conversion between binary code and binary-reflected Gray code on Boolean
// cubes", Johnsson and Ho, TR-20-91, 1991.
#pragma once

#include <span>

#include "faro/planners/planner.hpp"
#include "faro/service/paper.hpp"

namespace faro {

// Made with these planners: a broken one shows on the page.
PaperPage conversion_page(std::span<const Planner* const> planners);

extern const Paper conversion_paper;

}  // namespace faro
