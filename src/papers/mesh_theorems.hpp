// Tables II and III of Nassimi and Sahni 1980, and what its theorems claim, measured: by the
// distances that occur, by every BPC map of small machines, and by verified plans.
#pragma once

#include <vector>

#include "papers/cells.hpp"
#include "papers/paper.hpp"

namespace faro::inline v1 {

// Tables II and III, Theorems 2.2 and 4.1, the time of the control unit, Example 6.1, Theorems 6.1
// to 6.5.
std::vector<PaperTable> mesh_theorems(const Workshop& workshop);

}  // namespace faro::inline v1
