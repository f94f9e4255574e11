// Local code conversion: the index bits that leave the processors are recoded inside memory, so
// Gray code costs nothing.   [Johnsson, Ho 1990: butterfly emulation, Theorems 1, 3, 4]
//
//   memory first      K/2 + n - 1 steps               bound max(n, K/2)
//   processor first   K/2 + max(n, K/2) steps, most significant Gray bit first
//                     K/2 + max(n+1, K/2) (n = 2: K)  bound max(n, K)
//
// tested n <= 8, K <= 32
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry local_memory_first;
extern const ButterflyEntry local_processor_first;

}  // namespace faro::inline v1
