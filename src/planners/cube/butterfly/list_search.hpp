// The search of the list scheduler, for plans whose chains of rows are given.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "planners/cube/butterfly/entry.hpp"
#include "planners/cube/butterfly/gated_chains.hpp"

namespace faro::inline v1::butterfly {

// Any of the chains; the search ends where a plan takes no more than `enough` steps.
struct ListedChains {
  std::vector<GatedChains> all;
  Count enough = 0;
};

// Throws Error(impossible) if it finds no plan.
ButterflyEntry::Found list_search(const ButterflyNetwork& request, std::string_view planner,
                                  ListedChains chains, std::optional<PaperCount> paper);

}  // namespace faro::inline v1::butterfly
