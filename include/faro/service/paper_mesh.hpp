// The page of "An Optimal Routing Algorithm for Mesh-Connected Parallel Computers", Nassimi and
// Sahni, Journal of the ACM 27(1), 1980.
#pragma once

#include "faro/service/paper.hpp"

namespace faro {

extern const Paper mesh_paper;

}  // namespace faro
