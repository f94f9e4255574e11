// Maps that mix processor and memory bits: K = 2^m slots, every affine map of n + m bits.
//
//   p:2 | m:2 -> m p      a transpose of a 4 x 4 array, a row in each processor
//
// In three parts. Slots are moved inside the processors by a linear function of the processor
// number, such that the rest sends processor bits by an invertible matrix P; row operations of P
// take every slot on, the same masks with constants of the slot's own; slots are moved again.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry affine_memory;

}  // namespace faro::inline v1
