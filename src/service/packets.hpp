// Packets: which number of elements to send at once, where a start-up has a price of its own.
#pragma once

#include "faro/service/plan.hpp"

namespace faro::inline v1 {

// The request that moves packets of so many elements. With memory bits in the map only powers of
// two that leave the bits which tell elements apart; throws Error(impossible) for others.
Request packed_request(const Request& request, std::uint64_t packet);

// The best size, or the one that the prices name, and what it costs. Requires options.packets.
PacketReport packet_report(const Request& request, const PlanOptions& options);

}  // namespace faro::inline v1
