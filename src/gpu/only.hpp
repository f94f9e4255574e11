// The elements whose index bits have some values, moved among themselves.
//
// A controlled swap, cuStateVec's swap with a mask, takes index i to A i where i & mask is the
// value and to i elsewhere. Each new bit is then a sum of *products* of two bits and more, so that
// no affine map of all indices says it. But the elements that meet the mask are a coset: of the
// bits that are left free it is an affine map, which is planned as any other, and whose vectors are
// then spread to the places of these bits:
//
//   i:4 -> swap(i, 0, 3), only where bit 1 is 1     free bits 0, 2, 3: swap(j:3, 0, 2); its vector
//                                                   0b100 is 0b1000, and 0b0010 is added to all
#pragma once

#include "faro/gpu/plan.hpp"

namespace faro::inline v1::gpu {

// The map on the free bits. Throws Error(usage) where the map takes some of these elements to
// others, or the value has bits that are not asked for.
BitMap restricted(const BitMap& map, const Only& only);

// A plan of the free bits becomes one among all bits, of `map`.
void spread(Plan& plan, const BitMap& map);

}  // namespace faro::inline v1::gpu
