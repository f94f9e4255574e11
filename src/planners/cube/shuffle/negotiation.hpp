// Routes for all elements of a small cube within a given number of steps, by negotiation.
//
// Every element takes the cheapest of its shortest paths, waiting where that is cheaper, and the
// links of every step are shared out by prices (search/negotiation.hpp).
//
//   complement of one dimension beside a chain of one, K = 2: two steps; element 0 of processor 0
//   goes over the chain's dimension first, element 1 over the other first
//
// One element of each class is routed (small_cube.hpp), and the links of a class are one link.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planners/cube/shuffle/router.hpp"
#include "planners/cube/shuffle/small_cube.hpp"

namespace faro::inline v1::shuffle {

// hops[e] of the first element e of each class, nothing if none are found before `work` is used up,
// which it counts down. Requires that no element is farther than `steps`.
std::optional<std::vector<std::vector<Hop>>> negotiate(const SmallCube& cube, std::uint32_t steps,
                                                       std::uint64_t& work);

}  // namespace faro::inline v1::shuffle
