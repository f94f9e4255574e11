// Extended-cube permutations: data on a subcube use the dimensions around it.   [Johnsson, Ho 1991,
// Definition 3 and Corollary 2]
//
// The n-cube of a request lies in a cube of n + e dimensions, where the e top ones are 0; the other
// processors hold nothing that matters. Scatter: e storage bits that control no chain become
// processor bits. Permute: every copy of the n-cube with K/2^e elements. Gather: the scatter
// reversed.
//
//   one chain of five, K = 8, one port: 20 steps in the cube, 4 + 10 + 4 = 18 with e = 1
//
//   applies:  n + k <= 16 (the goal is spelled out), k - e >= number of chains
//   cost:     scatter and gather (2^e - 1)·ceil(K / (e 2^e)) each with all ports, K - K/2^e with
//             one
//   pays:     with one port from chains of five dimensions on; with all ports not below e = 5
#pragma once

#include "planners/cube/shuffle/phase.hpp"

namespace faro::inline v1::shuffle {

// Why the request cannot be extended by that many dimensions, nothing if it can.
std::optional<std::string> extended_cube_refusal(const Request& request, int extra);
// Require no refusal. The request is for the n-cube; the schedule for the larger one.
Count extended_cube_cost(const Request& request, int extra);
void build_extended_cube(const Request& request, int extra, ScheduleSink& sink);

}  // namespace faro::inline v1::shuffle
