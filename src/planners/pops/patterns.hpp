// The rearrangements that the paper treats by name, as printed (corrected) and in fewer slots.
//
//   one group      data of one group change places inside it (Figure 4)
//   all groups     data of every group change places inside it (Figure 5; ours is better)
//   reversal       processor p sends to n-1-p (Figure 6, repaired; ours is better)
//
//   POPS(4, 2), all groups shift by one:   Figure 5 takes 3 slots, ours ceil(8/3) = 3;
//   POPS(7, 3), reversal:                  Figure 6 repaired takes 6 slots, ours 4
//
// Transposes go by pops-single-hop, shuffles and other permutations of bits by pops-stay-go; both
// have better plans in pops-fewest-slots where d > g.
#pragma once

#include <vector>

#include "planners/entry.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

std::vector<Packet> one_group_hops(const Pops& machine, const std::vector<Word>& to);
// Requires d >= g.
std::vector<Packet> figure5_hops(const Pops& machine, const std::vector<Word>& to);
std::vector<Packet> all_groups_hops(const Pops& machine, const std::vector<Word>& to);
// Requires d > g.
std::vector<Packet> figure6_hops(const Pops& machine);
std::vector<Packet> reversal_hops(const Pops& machine);

// Slots of reversal_hops, and what the printed Theorem 3 says is needed (wrong for d and g odd).
Count reversal_slots(const Pops& machine);
Count reversal_theorem3(const Pops& machine);

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

extern const PlannerEntry pops_one_group;
extern const PlannerEntry pops_all_groups;
extern const PlannerEntry pops_figure5;
extern const PlannerEntry pops_reversal;
extern const PlannerEntry pops_figure6;

}  // namespace faro::inline v1
