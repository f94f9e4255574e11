// The page of "On the conversion between binary code and binary-reflected Gray code on Boolean
// cubes", Johnsson and Ho, TR-20-91, 1991.
#pragma once

#include <span>

#include "faro/planners/planner.hpp"
#include "papers/cells.hpp"
#include "papers/paper.hpp"

namespace faro::inline v1 {

// Made by conversion_paths.cpp.
std::vector<PaperTable> conversion_paths(const Workshop& workshop);

// Made with these planners: a broken one shows on the page.
PaperPage conversion_page(std::span<const Planner* const> planners, const PaperTold& told = {});

extern const Paper conversion_paper;

}  // namespace faro::inline v1
