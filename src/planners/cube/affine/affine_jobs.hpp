// Affine maps of processor and memory bits in about K/2 steps, by jobs (jobs.hpp has the theory).
//
//   cyclic to consecutive in Gray code, 6 processor and 6 memory bits: 33 steps, the bound 32
//
// affine-ring       all fed: max(n', K/2) + 1 and less for permutations of bits and most layouts
// affine-shop       any map, two elements or more: counted, the bound or 1 or 2 more nearly always
// affine-full-rank  the destination's processor bits depend on memory by a matrix of full rank:
//                   max(n, K/2), the bound: memory is ordered by destination, all-to-all, ordered
// affine-jobs-one-port   one port: n'K/2, the bound, where all is fed; K/2 more for each opening
//
// n' counts the dimensions that change. Slots: K, and one more for an odd number of elements.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry affine_ring;
extern const PlannerEntry affine_shop;
extern const PlannerEntry affine_full_rank;  // full_rank.cpp
extern const PlannerEntry affine_jobs_one_port;

}  // namespace faro::inline v1
