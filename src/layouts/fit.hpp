// From a table to its map.
//
//   fit({0, 2, 4, 6, 1, 3, 5, 7})    i:3 -> rot(i, 1): entry x says where index x goes
//   fit({0, 1, 2, 3, 4, 5, 7, 6})    throws NotAffine: index 6 goes to 7; the images of 0, 2 and 4
//                                    say 6
//
// The images of 0 and of the powers of two determine the only candidate; every other entry is then
// compared with it. So another system's own code, run on the numbers 0, 1, 2, ..., says its map.
#pragma once

#include <cstdint>
#include <span>

#include "faro/algebra/bit_map.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {

// `table` has 2^p entries, a permutation of 0 .. 2^p - 1. Throws Error(impossible) for another
// length, Error(usage) for a number that is too large or comes twice, and NotAffine.
BitMap fit(std::span<const std::uint64_t> table);

}  // namespace faro::inline v1
