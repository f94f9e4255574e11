// The page of each paper, and the parts of pages that have a file of their own.
#pragma once

#include <span>
#include <vector>

#include "faro/planners/planner.hpp"
#include "papers/cells.hpp"
#include "papers/paper.hpp"

namespace faro::inline v1 {

extern const Paper butterfly_paper;
extern const Paper conversion_paper;
extern const Paper mesh_paper;
extern const Paper pops_paper;
extern const Paper shuffle_paper;

// Made with these planners: a broken one shows on the page.
PaperPage conversion_page(std::span<const Planner* const> planners, const PaperTold& told = {});
PaperPage pops_page(std::span<const Planner* const> planners, const PaperTold& told = {});

// Figure 4's paths, Theorem 7, some channels of a processor.
std::vector<PaperTable> conversion_paths(const Workshop& workshop);
// What shuffles cost where packets have a start-up: Table 1, Table 2 with packets, sections 5, 6.
std::vector<PaperTable> shuffle_prices();
// Section 4's three sequences.
PaperTable exchange_sequences();

}  // namespace faro::inline v1
