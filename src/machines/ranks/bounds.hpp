// Lower bounds on a switch with one port a processor, and on a tree of switches.
#pragma once

#include <span>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1::ranks {

// Steps that any schedule takes: an element leaves where it goes elsewhere, a processor sends and
// receives one at a time, so it is the most that one processor has to send or to receive.
//
//   a transposition with 2^p elements each:  2^p - 1
//
// On a tree also what leaves the processors below one switch over its links, at every tier:
//
//   fat-tree:4x8,up=2, transposition with 32 elements each:  256 - 64 leave 8 processors over 2
//   links, 96 steps
Bound lower_bound(const Crossbar& machine, const MapGoal& goal, std::uint64_t elements);
Bound lower_bound(const Crossbar& machine, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements);

}  // namespace faro::inline v1::ranks
