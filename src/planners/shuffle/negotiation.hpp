// Routes for all elements of a small cube within a given number of steps, by negotiation.
//
// Every element takes the cheapest of its shortest paths, waiting where that is cheaper; a link in
// a step costs more the more elements want it and the longer it has been wanted by several. Round
// after round all elements choose again, until no link carries two: McMurchie and Ebeling's
// PathFinder (1995), for circuits, on links times steps.
//
//   complement of one dimension beside a chain of one, K = 2: two steps; element 0 of processor 0
//   goes over the chain's dimension first, element 1 over the other first
//
// One element of each class is routed (small_cube.hpp), and the links of a class are one link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "faro/planners/shuffle/router.hpp"
#include "planners/shuffle/small_cube.hpp"

namespace faro::shuffle {

// hops[e] of the first element e of each class, nothing if none are found before `work` is used up,
// which it counts down. Requires that no element is farther than `steps`.
std::optional<std::vector<std::vector<Hop>>> negotiate(const SmallCube& cube, std::uint32_t steps,
                                                       std::uint64_t& work);

}  // namespace faro::shuffle
