// Ride plans: which element rides which route, and the program that lets them.
//
//   line of four, +1 ridden by the elements of 0 and 1, -1 ridden by those of 2 and 3:
//   Rr <- Rs;  ROUTE(0, 1);  in 2 and 3 Rr <-> Rs;  ROUTE(0, -1);  ...
//
// What planners decide that choose elements one by one. Before each route a processor may hold one
// element that rides it and two that rest; where it never holds two resters two registers do.
// Elements may be followed by a part of the address bits: those that differ in the others only move
// alike.
#pragma once

#include <span>
#include <vector>

#include "planners/mesh/cover.hpp"
#include "planners/mesh/program.hpp"

namespace faro::inline v1::mesh {

struct RidePlan {
  std::vector<MeshRoute> routes;
  std::vector<std::vector<bool>> rides;  // rides[m][t]: does the element of m ride route t
};

// Elements and destinations are numbered by `bits`. Routes of the same riders one after the other
// become one.
MeshProgram write_rides(const MeshGeometry& geometry, const AddressBits& bits,
                        std::span<const Word> destinations, const RidePlan& plan);

}  // namespace faro::inline v1::mesh
