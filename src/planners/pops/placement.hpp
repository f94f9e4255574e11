// Slots and relay processors for routes between groups: the second half of the planner of fewest
// slots.
//
//   slots    exact: for each relay group the (from, to) pairs of its data are edge-coloured with
//            k-1 colours; a first hop takes the rank of its colour on its coupler from slot 0 up,
//            a second hop from slot k-1 down, straight data the slots between
//   relays   any processor of the relay group that receives nothing else in the first slot and
//            sends nothing else in the second; always found for d >= 2g-1, searched below
//
//   k = 2:  a datum over a relay takes slots 0 and 1; its coupler there and its coupler home are
//           free in the other slot for one straight datum each
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planners/pops/loads.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

// Why the tables of so many slots of a group are not made, if they would be too large.
std::optional<std::string> too_large(const Pops& machine, Count slots);

// Packets along the routes, which must fit k slots; nothing if relays were not found or the tables
// are too large.
std::optional<std::vector<Packet>> place(const Pops& machine, const std::vector<Word>& to,
                                         const std::vector<Route>& routes, std::uint32_t k,
                                         std::uint64_t seed);

}  // namespace faro::inline v1::pops
