// Tables II and III of Nassimi and Sahni 1980, and what its theorems claim, measured: by the
// distances that occur, by every BPC map of small machines, and by verified plans.
#pragma once

#include <string>
#include <vector>

#include "machines/mesh/bpc_vector.hpp"
#include "papers/cells.hpp"
#include "papers/paper.hpp"

namespace faro::inline v1 {

// Tables II and III, Theorems 2.2 and 4.1, the time of the control unit, Example 6.1, Theorems 6.1
// to 6.5.
std::vector<PaperTable> mesh_theorems(const Workshop& workshop);

// The BPC map of these words, which must say one.
BpcVector bpc_vector(const std::string& text);
Mesh square_mesh(int side_log2, Mesh::Wrap wrap = Mesh::Wrap::none);

}  // namespace faro::inline v1
