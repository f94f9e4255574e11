// Chains of rows with gates, for the list scheduler: for every dimension the rows it takes in turn,
// and how many stages an element must have done before each change.
#pragma once

#include <optional>
#include <vector>

#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1::butterfly {

struct GatedRow {
  Form row;
  int gate = 0;  // stages done before an element may follow
};

struct GatedChains {
  std::vector<Form> start;                     // by dimension
  std::vector<std::vector<GatedRow>> changes;  // by dimension, in order
  std::vector<Form> final_rows() const;
};

// When index bits take the output code: as they go up into the processors, or later, by a change of
// the row, once the stage of the other bit of the code is done too.
enum class Coding { at_once, later };

// The plan with `controls` control bits; nothing if a stage would never become local. With a
// restored finish the rows of the output are appended, by way of memory forms where they depend on
// each other.
std::optional<GatedChains> gated_chains(const ButterflyNetwork& request, int controls,
                                        Coding coding);

// Dimensions by pairs, the upper one of each converted to binary code between the processors before
// both are split; from the paper's remark. Nothing unless memory stages come first, the most
// significant bit first, Gray code not through the whole index, K >= 4.
std::optional<GatedChains> paired_chains(const ButterflyNetwork& request);

// The search of the list scheduler, by any of the chains; it ends where a plan takes no more than
// `enough` steps. Throws Error(impossible) if it finds no plan.
struct ListedChains {
  std::vector<GatedChains> all;
  Count enough = 0;
};
Offer list_search(const ButterflyNetwork& request, std::string_view planner, ListedChains chains,
                  std::optional<PaperCount> paper);

}  // namespace faro::inline v1::butterfly
