// Lower bounds in steps for the mesh whose links all work at once.
//
//   distance     somebody has to go that far
//   cut          what must leave a slab of the mesh, over the links that leave it
//   congestion   weights on links: every element pays at least its cheapest way, a step pays at
//                most all weights together. A cut is the case of weights 0 and 1. The best weights
//                are the dual of a linear program; here they are found by multiplicative weights
//                (Plotkin, Shmoys, Tardos 1995) and rounded to integers, which anyone can check.
//
//   8x8 mesh, transpose, K = 16:   distance 14, cuts 32, congestion 36
//
// Congestion is tried up to 2^10 processors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "machines/mesh/geometry.hpp"

namespace faro::inline v1 {

// One unit of traffic: `count` elements from one processor to another, the first of them in `slot`.
struct Shipment {
  Word from = 0;
  Word to = 0;
  std::uint64_t count = 1;
  std::uint64_t slot = 0;
};

Bound distance_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic);
// The best cut between two neighbouring coordinates; on a ring between two pairs of them.
Bound cut_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic);
// The best of `rounds` rounds of multiplicative weights, or of fewer where more cannot be above
// `known` or gain a step.
Bound congestion_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic, int rounds,
                       Count known = 0);

// The best of the three; without search of the first two.
Bound links_bound(const MeshGeometry& geometry, std::span<const Shipment> traffic,
                  bool search = true);

}  // namespace faro::inline v1
