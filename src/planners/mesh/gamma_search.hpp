// Who rides which unit route: the search behind the GAMMA scheduler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "planners/mesh/rides.hpp"

namespace faro::inline v1::mesh {

// Negotiates rides for these unit routes in this order, `resters` elements at most waiting in a
// processor; nothing within the stated number of rounds.
std::optional<RidePlan> negotiate(const MeshGeometry& geometry, std::span<const Word> destinations,
                                  const std::vector<MeshRoute>& routes, int resters, int rounds);

}  // namespace faro::inline v1::mesh
