// Who rides which unit route: the search behind the GAMMA scheduler.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faro/base/random.hpp"
#include "faro/machines/model/mesh_geometry.hpp"

namespace faro::mesh {

struct UnitRoute {
  int dimension = 0;
  int way = 1;  // 1 or -1
};

// rides[m][t]: does the element of processor m ride route t.
struct RidePlan {
  std::vector<UnitRoute> routes;
  std::vector<std::vector<bool>> rides;
  int resters = 1;  // a processor holds at most
};

// Negotiates rides for these routes in this order; nothing within the stated number of rounds.
std::optional<RidePlan> negotiate(const MeshGeometry& geometry, std::span<const Word> destinations,
                                  const std::vector<UnitRoute>& routes, int resters, int rounds);

}  // namespace faro::mesh
