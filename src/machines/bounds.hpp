// Lower bounds that follow from the machine and the goal alone, each with its reason in words. The
// best of all known ones; a bound of 0 with the reason "nothing moves" is a bound too.
//
// The value is in the unit of the machine: steps, unit routes, slots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// For any machine of the table.
Bound lower_bound(const Machine& machine, const MapGoal& goal, std::uint64_t elements);
Bound lower_bound(const Machine& machine, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements);

// For a cube, the largest of cube_bounds(). A map with fewer processor bits than the cube has
// dimensions moves data on the subcube where the others are 0.
Bound lower_bound(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements);

// destinations[p] is where all elements of processor p go.
Bound lower_bound(const Hypercube& cube, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements);

// All of them, each valid for every schedule: distance, crossings of each dimension, sends (one
// port), code conversion, cycles and chains of bit permutations.
std::vector<Bound> cube_bounds(const Hypercube& cube, const MapGoal& goal, std::uint64_t elements);

// Steps for converting one field of `length` bits between Gray and binary code, K elements; 0 for a
// length below 2.
Count conversion_bound(int length, std::uint64_t elements, Hypercube::Ports ports);

// The largest value, the first among equals; "nothing moves" if there is none.
Bound largest(std::span<const Bound> bounds);

}  // namespace faro::inline v1
