// The figures of Johnsson and Ho 1990 on butterflies: what the text of the paper holds of them, and
// what our verified plans do.
#pragma once

#include <string>
#include <vector>

#include "faro/planners/planner.hpp"
#include "papers/paper.hpp"

namespace faro::inline v1 {

// Figures 3 to 11.
std::vector<PaperTable> local_conversion_figures();
PaperTable figure_11();
// Tables 2 and 3.
PaperTable steps_in_order();
PaperTable dimension_assignments();
// Figures 15 to 17, and of the drawings 12 to 14 and 18 to 23 what our schedules do.
std::vector<PaperTable> inter_conversion_figures();

// Figures 1 and 2, the other conversion loops, Corollaries 1 and 2 and Lemma 1.
std::vector<PaperTable> code_figures();

// The lowest bits of a number as tables show them; none is "".
std::string printed_bits(Word value, int width);
// The network of most figures: n processor bits, p index bits, Gray code.
ButterflyNetwork cyclic_network(int n, int p);

}  // namespace faro::inline v1
