// Digit routing on a torus: one route for each address bit.
//
//   4x4 transpose:   6 unit routes in 4 long ones, where PERMUTE takes 12 in 8
//
// An element's displacement along a ring of 2^w, taken upward, has w digits; for each address bit
// there is one route by its distance, which an element rides if that digit is 1. So at most p long
// routes and sum(n - 1) unit routes, with two registers, if the routes can be ordered so that a
// processor never holds more than one rider and one rester. Such an order is searched for; it
// exists for nearly all BPC maps up to 2^6 processors.
//
// Where there is none, the lowest bits of some rings stay out of the digits, as few as will do:
// such a bit has a route up, for the elements that it takes from 0 to 1, and a route down, and the
// digits are those of the numbers above it. l bits on a ring cost at most 2^l - 1 unit routes more,
// and perhaps a third register. 8x8 bit reversal, which has no order, takes 15 unit routes, 32x32
// 66; gamma is 14 and 62.
//
// Elements are followed one by one, at most 2^12. On larger tori those cycles of a BPC map go that
// way which pass through top bits, as many top bits as 2^10 elements allow; the others go by
// PERMUTE. A 1024x1024 transpose takes 2 108 unit routes, PERMUTE with shortcuts 3 068; gamma is
// 2 046.
#pragma once

#include "machines/mesh/bpc_vector.hpp"
#include "planners/entry.hpp"
#include "planners/mesh/program.hpp"

namespace faro::inline v1::mesh {

// Nothing if no order of the routes is found. On propagating wraparound the machine is one ring.
// Requires 2^12 processors at most.
std::optional<MeshProgram> route_digits(const MeshGeometry& geometry,
                                        std::span<const Word> destinations);
// More than 2^12 processors, orthogonal wraparound. Nothing too if no top bit's cycle is short
// enough.
std::optional<MeshProgram> route_digits_by_parts(const MeshGeometry& geometry,
                                                 const BpcVector& bits);

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {

extern const PlannerEntry torus_digit;

}  // namespace faro::inline v1
