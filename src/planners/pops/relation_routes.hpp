// Routes for an h-relation within a number of slots, by negotiation: straight data and data over
// one relay bid for couplers, senders and receivers of the slots (search/route.hpp).
//
//   POPS(2, 3), 2 data from processor 0 to 2 and 2 from 1 to 3:   3 slots, 3 data straight, one
//   over group 2
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

// The data with relays and slots below `slots`; nothing if none were found. `work` is what may be
// spent, in prices looked at, and becomes what is left.
std::optional<std::vector<Packet>> negotiated_routes(const Pops& machine, std::vector<Packet> data,
                                                     std::uint32_t slots, std::uint64_t seed,
                                                     std::uint64_t& work);

}  // namespace faro::inline v1::pops
