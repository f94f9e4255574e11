// Packets of 2^j elements in a map that names memory bits.
//
// Elements of a packet share every bit that controls a chain, so they do the same all the way: the
// schedule of packets is that of the same chains and cycles with j storage bits fewer. Where the
// storage bits end among themselves is local and free.
//
//   a:3 | m:4 -> a[1:0] m[3] | m[2:0] a[2]   packets of 4: the same chain with two storage bits
#pragma once

#include <optional>

#include "faro/planners/planner.hpp"

namespace faro::inline v1::shuffle {

// The request for packets, nothing if the map is no permutation of bits or fewer storage bits than
// chains would be left.
std::optional<Request> packed(const Request& request, int packet_log2);

}  // namespace faro::inline v1::shuffle
