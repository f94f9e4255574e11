// The simple algorithm for data that change places inside their groups: g data of a group in every
// pair of slots, each over a group of its own.   [Sahni 2000, sections 3.1 and 3.2]
//
//   POPS(4, 2), all groups shift by one:   2 ceil(4/2) = 4 slots, where Figure 5 takes 3
//
// What the paper holds its own algorithms to; pops-one-group and pops-all-groups are never slower.
#pragma once

#include <vector>

#include "planners/entry.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1 {

namespace pops {
std::vector<Packet> simple_hops(const Pops& machine, const std::vector<Word>& to);
}  // namespace pops

extern const PlannerEntry pops_simple;

}  // namespace faro::inline v1
