// Any permutation on a POPS network in the fewest slots that a search finds: for k from the lower
// bound up, routes between groups within k slots (loads.hpp), then slots and relay processors
// (placement.hpp). Never more slots than single hop or two hops.
//
//   POPS(9, 4), cyclic shift by 5:   4 slots, as the bound by levels; two hops take 5
#pragma once

#include <vector>

#include "planners/entry.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

std::vector<Packet> fewest_slots(const Pops& machine, const std::vector<Word>& to);

// Slots that the packets take.
Count slots_of(const std::vector<Packet>& packets);

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

extern const PlannerEntry pops_fewest_slots;

}  // namespace faro::inline v1
