// 2^r-sectioning: blocks of elements are split over r dimensions at once.
//   [Johnsson, Ho 1990: butterfly emulation, section 6; after Johnsson, Jacquemin, Ho 1989]
//
//   rho = min(r, n) control bits in binary code, min(r + 1, n) in Gray code
//   S = max(rho, 2^(rho-1)) steps a phase
//   (K/2^rho + ceil((n - rho)/r)) · S steps           bound max(n, K/2)
//
// With rho = n <= m it is K/2: optimal. Tested n <= 8, K <= 32.
#pragma once

#include "planners/cube/butterfly/entry.hpp"

namespace faro::inline v1 {

extern const ButterflyEntry sectioning;

}  // namespace faro::inline v1
