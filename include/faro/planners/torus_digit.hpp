// Digit routing on a torus: one route for each address bit.
//
//   4x4 transpose:   6 unit routes in 4 long ones, where PERMUTE takes 12 in 8
//
// An element's displacement along a ring of 2^w, taken upward, has w digits; for each address bit
// there is one route by its distance, which an element rides if that digit is 1. So at most p long
// routes and sum(n - 1) unit routes, with two registers, if the routes can be ordered so that a
// processor never holds more than one rider and one rester. Such an order is searched for; it
// exists for all BPC maps up to 2^4 processors and nearly all up to 2^6 (an 8x8 bit reversal has
// none). Works on processors one by one: at most 2^10.
#pragma once

#include "faro/planners/mesh_program.hpp"

namespace faro::mesh {

// Nothing if no order of the routes works. On propagating wraparound the machine is one ring.
std::optional<MeshProgram> route_digits(const MeshGeometry& geometry,
                                        std::span<const Word> destinations);

}  // namespace faro::mesh

namespace faro {

extern const Planner torus_digit;

}  // namespace faro
