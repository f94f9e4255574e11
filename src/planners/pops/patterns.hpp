// Rearrangements that the paper treats by name, in fewer slots than printed.
//
//   all groups     data of every group change places inside it; Figure 5 on large machines
//   reversal       processor p sends to n-1-p
//
//   POPS(4, 2), all groups shift by one:   ceil(8/3) = 3 slots
//   POPS(7, 3), reversal:                  4 slots, Figure 6 repaired takes 6
#pragma once

#include <vector>

#include "planners/entry.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

// A datum that goes straight in a slot, or over a relay in this slot and the next.
Packet hop(Word from, Word to, std::uint32_t slot);
Packet hop_over(Word from, Word relay, Word to, std::uint32_t slot);

// Whose data move in a group, and the most that move in any.
std::vector<Word> moved_in_group(const Pops& machine, const std::vector<Word>& to,
                                 std::uint64_t group);
std::uint64_t most_moved(const Pops& machine, const std::vector<Word>& to);
std::vector<Word> reversed(const Pops& machine);
std::optional<std::string> inside_refusal(const Request& request);
std::optional<std::string> reversal_refusal(const Request& request);

// Requires d >= g.
std::vector<Packet> figure5_hops(const Pops& machine, const std::vector<Word>& to);
std::vector<Packet> all_groups_hops(const Pops& machine, const std::vector<Word>& to);
std::vector<Packet> reversal_hops(const Pops& machine);
Count reversal_slots(const Pops& machine);

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

extern const PlannerEntry pops_all_groups;
extern const PlannerEntry pops_figure5;
extern const PlannerEntry pops_reversal;

}  // namespace faro::inline v1
