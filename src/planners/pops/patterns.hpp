// Rearrangements inside groups: data of every group change places inside it.
//
//   POPS(8, 3), all groups shift by one:   4 slots, four data of a group in two
#pragma once

#include <vector>

#include "planners/entry.hpp"
#include "planners/pops/packets.hpp"

namespace faro::inline v1::pops {

// Whose data move in a group, and the most that move in any.
std::vector<Word> moved_in_group(const Pops& machine, const std::vector<Word>& to,
                                 std::uint64_t group);
std::uint64_t most_moved(const Pops& machine, const std::vector<Word>& to);
std::optional<std::string> inside_refusal(const Request& request);

// Requires d >= g.
std::vector<Packet> figure5_hops(const Pops& machine, const std::vector<Word>& to);

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

extern const PlannerEntry pops_figure5;

}  // namespace faro::inline v1
