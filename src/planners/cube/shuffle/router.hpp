// A router for few elements: each element takes shortest paths, step by step.   [faro]
//
//   chain of one dimension and a complemented one, K = 2: two steps, which pairs of elements that
//   move together cannot do
//
// A greedy start (each processor matches its elements, farthest first, to links that bring them
// nearer), then one step fewer at a time by negotiation: all elements choose cheapest paths again
// and again, links that are wanted twice become dearer, until none is. It works on the cube of the
// dimensions that take part, a of them, and on classes of elements: with every chain and cycle
// comes a translation that takes the map to itself, so 2^a · K elements are 2^(a-g) · K classes,
// g the number of chains and cycles. Moves of classes are rules on cosets of the translations.
//
//   applies:  2 <= K <= 4a and 2^a · K <= 2^12
//   cost:     counted; at the bound for nine in ten of what the closed forms leave above it
#pragma once

#include <cstdint>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "planners/cube/shuffle/structure.hpp"

namespace faro::inline v1::shuffle {

bool router_fits(const Structure& s);

// hops[e] are the dimensions that element e = processor * K + slot crosses, with the steps, for the
// first element of each class. Processors are numbered by the dimensions that take part alone.
struct Hop {
  std::uint32_t step = 0;
  int dimension = 0;  // number among those that take part
};
struct Routing {
  std::vector<std::vector<Hop>> hops;
  Count steps = 0;
};

// Requires that it fits. Stops at the bound, or where a third of a second of negotiation ends.
Routing route(const Structure& s, Count bound);

// The steps of the routing with all local moves, and the slots that it uses.
std::vector<CubeStep> routed_steps(const Structure& s, const Routing& routing,
                                   std::uint64_t& slots);

}  // namespace faro::inline v1::shuffle
