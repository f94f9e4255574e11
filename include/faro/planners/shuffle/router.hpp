// A router for few elements: each element takes shortest paths, step by step.   [faro]
//
//   chain of one dimension and a complemented one, K = 2: two steps, which pairs of elements that
//   move together cannot do
//
// A greedy start (each processor matches its elements, farthest first, to links that bring them
// nearer), then one step fewer at a time by negotiation: all elements choose cheapest paths again
// and again, links that are wanted twice become dearer, until none is. It works on the cube of the
// dimensions that take part, so it enumerates 2^a · K elements, a of them: the one planner here
// that enumerates at all. What it finds is written as rules: equal moves of processors that form a
// subcube are one rule, whatever the dimensions that take no part hold.
//
//   applies:  2 <= K <= 4a and 2^a · K <= 2^12
//   cost:     counted; at the bound for nine in ten of what the closed forms leave above it
#pragma once

#include <cstdint>
#include <vector>

#include "faro/planners/shuffle/structure.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::shuffle {

bool router_fits(const Structure& s);

// hops[e] are the dimensions element e = processor * K + slot crosses, with the steps. Processors
// are numbered by the `active` dimensions alone.
struct Hop {
  std::uint32_t step = 0;
  int dimension = 0;  // index into active
};
struct Routing {
  std::vector<int> active;
  std::vector<std::vector<Hop>> hops;
  Count steps = 0;
};

// Requires that it fits. Stops at the bound, or where a third of a second of negotiation ends.
Routing route(const Structure& s, Count bound);

// The steps of the routing with the last local moves; returns the slots used when asked first.
std::vector<CubeStep> routed_steps(const Structure& s, const Routing& routing,
                                   std::uint64_t& slots);

}  // namespace faro::shuffle
