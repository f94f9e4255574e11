// Butterfly networks and sorts on a cube: the planners.   [Johnsson, Ho 1990: butterfly emulation,
// and our own where it says so]
//
//   steps on n dimensions, K elements a processor; no schedule takes fewer than max(n, K/2) where
//   the memory stages come first, and max(n, K) where those of the processors do
//
// Applicability and costs stand with the algorithms.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry local_memory_first;          // K/2 + n - 1, one exchange a dimension
extern const PlannerEntry local_processor_first;       // the same twice: K/2 + max(n, K/2)
extern const PlannerEntry inter_processor_conversion;  // K + n - 2, for two elements
extern const PlannerEntry sectioning;                  // K/2 with memory bits for all dimensions
extern const PlannerEntry replication;                 // K + n - 1, every bit stays at its place
extern const PlannerEntry natural_order;               // a network, then its layout rearranged
extern const PlannerEntry list_scheduler;              // small machines, by a search
extern const PlannerEntry bitonic_sort;

}  // namespace faro::inline v1
