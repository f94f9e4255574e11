// Who rides which unit route: the search behind the GAMMA scheduler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faro/base/random.hpp"
#include "faro/planners/mesh_rides.hpp"

namespace faro::mesh {

// Negotiates rides for these unit routes in this order, `resters` elements at most waiting in a
// processor; nothing within the stated number of rounds.
std::optional<RidePlan> negotiate(const MeshGeometry& geometry, std::span<const Word> destinations,
                                  const std::vector<MeshRoute>& routes, int resters, int rounds);

}  // namespace faro::mesh
