// The page of "An Optimal Routing Algorithm for Mesh-Connected Parallel Computers", Nassimi and
// Sahni, Journal of the ACM 27(1), 1980.
#pragma once

#include "papers/paper.hpp"

namespace faro::inline v1 {

extern const Paper mesh_paper;

}  // namespace faro::inline v1
