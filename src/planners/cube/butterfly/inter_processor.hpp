// Inter-processor code conversion: while half of the elements cross one dimension for the stage,
// the other half cross the next one and change the code there. Works from two elements on.
//   [Johnsson, Ho 1990: butterfly emulation, Theorems 2, 3, 4]
//
//   cyclic                     K + n - 2 steps        bound max(n, K/2)
//   cyclic, whole index coded  K + n - 1
//   consecutive                K + n - 1              bound max(n, K)
//   n = 1                      K/2; the other two K
//
// tested n <= 8, K <= 32
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry inter_processor_conversion;

}  // namespace faro::inline v1
