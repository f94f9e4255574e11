// Any permutation on a POPS network, spelled out packet by packet.
//
//   single hop   every datum straight over c(its destination's group, its group); the slots are the
//                largest number of data of one pair of groups
//   two hops     edge colouring of the groups' multigraph: 2·ceil(d/g) slots for every permutation
//                [Mei, Rizzi 2003]. d >= g: data that move, R the largest number leaving or
//                entering a group, 2·floor(R/g) + min(2, R mod g). d < g: colours that hold exactly
//                d data.
//
//   POPS(2, 3), 0 -> 3, 1 -> 2:  both data leave group 0 for group 1: two slots by single hop, two
//   by two hops
#pragma once

#include <vector>

#include "planners/entry.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

std::vector<Packet> single_hop(const Pops& machine, const std::vector<Word>& to);
// Requires d < g. Two slots, one where d = 1.
std::vector<Packet> fair_two_hops(const Pops& machine, const std::vector<Word>& to);
std::vector<Packet> two_hops(const Pops& machine, const std::vector<Word>& to);

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

extern const PlannerEntry pops_single_hop;
extern const PlannerEntry pops_two_hop;

}  // namespace faro::inline v1
