// Sets of processors as few ternary masks: what planners need that choose processors one by one.
//
//   4 bits, wanted 0100, 0101, 0111, forbidden 0000, 1111, the rest free:   masks 01xx
//
// Wanted processors are covered exactly once, so that a swap under all masks swaps once; free ones
// may be covered any number of times. Greedy: the mask that covers most of what is left. At most
// 2^12 processors.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::mesh {

enum class Wish : std::uint8_t { forbidden, wanted, free };

// wishes[x] for every x of `bits` bits; masks are shifted up by `low` bits.
std::vector<TernaryMask> cover(std::vector<Wish> wishes, int bits, int low = 0);

}  // namespace faro::mesh
