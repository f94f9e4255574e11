// The GAMMA scheduler: any permutation on a small mesh or torus in the fewest unit routes, with two
// or three registers.
//
//   4x4 torus transpose:   +0 +0 +1 +0 +1 +1, gamma = 6 unit routes (Theorem 6.1)
//
// Each dimension gets the routes that its distances need, in some order; every element rides a
// subset of them that brings it home. A processor has room for one rider and one or two resters at
// a time, so the subsets are negotiated: elements are sent the cheapest way again and again while
// crowded places grow dearer (McMurchie, Ebeling 1995). Another order is drawn where that fails,
// then a third register, then routes beyond the bound. Where all that fails maps of bits take
// PERMUTE and others are refused. Seeds and effort are fixed; the same request gives the same
// program.
//
// On propagating wraparound the routes are the fewest that serve everybody with carries
// (carries.hpp), and those of rings where that is not known.
//
// Processors are chosen one by one: many masks, and at most 2^8 processors, 2^9 of short sides.
#pragma once

#include "planners/entry.hpp"
#include "planners/mesh/program.hpp"

namespace faro::inline v1::mesh {

// Nothing if the stated effort finds no schedule with at most `extra_max` routes beyond the bound.
std::optional<MeshProgram> schedule_gamma(const MeshGeometry& geometry,
                                          std::span<const Word> destinations, int extra_max);

}  // namespace faro::inline v1::mesh

namespace faro::inline v1 {

extern const PlannerEntry mesh_gamma;

}  // namespace faro::inline v1
