// Which data of each pair of groups go straight and which over which relay group, so that k slots
// suffice: a search. The first half of the planner of fewest slots.
//
//   k = 2, D(0, 1) = 3 on four groups:   one straight, one over group 2, one over group 3
//
// In k slots a coupler carries at most k messages, at most k-1 of them first hops and at most k-1
// second hops: a first hop leaves a slot for the second. These conditions suffice (placement.hpp).
// The search starts straight, moves what overloads its coupler to the relay group with most slack,
// then re-routes one datum of a bad coupler at a time at least damage, old routes tabu for a while.
// Demands that depend on j - i alone are solved for group 0 and turned.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machines/pops/bounds.hpp"

namespace faro::inline v1::pops {

inline constexpr std::uint32_t straight = ~std::uint32_t{0};

// One datum that moves from group `from` to `to`, over group `over` or straight.
struct Route {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t over = straight;
};

// Routes for every datum of the demand within k slots, nothing if none were found. Different seeds
// find different routes. Adds to `work` the routes looked at: a second or so for each 10^9.
std::optional<std::vector<Route>> find_routes(const PopsDemand& demand, std::uint32_t k,
                                              std::uint64_t seed, std::uint64_t& work);

}  // namespace faro::inline v1::pops
