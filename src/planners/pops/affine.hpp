// Affine maps on a POPS network in closed form: matrices only, whatever the number of processors.
//
// Two hops. A processor number x has group bits above local bits. Every element goes to the relay
// whose group is given by some linear functionals of x, local index by others, in a phase given by
// the rest. A phase is two slots: there and home. It is legal if within a phase
//   elements of one source group go to different relay groups        (first hop couplers),
//   elements of one destination group come from different relay groups  (second hop couplers),
//   and no two share a relay.
//
// Let U be the span of the local unit vectors (own group constant on its cosets), K the kernel of
// the destination group's rows (destination group constant). Both have dimension log d, so they
// have a common complement C; the coordinates along U modulo C separate the elements of a coset of
// U and of a coset of K. They give relay group and phase, the coordinates along C the local index.
//
//   POPS(2, 2), bit swap:  U = {1}, K = {2},  C = {3}:  x = b·1 + c·3,  relay (group b, local c)
//
// Cost: 2 slots for d <= g, 2d/g for d > g; only the identity costs 0. Rules also move fixed
// points.
#pragma once

#include <vector>

#include "planners/entry.hpp"

namespace faro::inline v1::pops {

// The functionals, as masks of source bits, most significant first. Together independent.
struct Relays {
  std::vector<Word> group;
  std::vector<Word> phase;
  std::vector<Word> local;
};

// As above. Requires a map on the machine's processor bits.
Relays affine_relays(const BitMap& map, const Pops& machine);

// The slots of the map through the relays given, K times over. Register s to register K + s.
void push_two_hops(const Request& request, const Relays& relays, std::string_view planner,
                   ScheduleSink& sink);

// Every element straight home, one rule a slot, K times over.
void push_single_hop(const Request& request, std::string_view planner, ScheduleSink& sink);

// Slots of the two, 0 for the identity. Require what no_rules accepts.
Count two_hop_slots(const Request& request);
Count single_hop_slots(const Request& request);

// As no_rules; also if the slots are too many to list.
std::optional<std::string> no_two_hops(const Request& request);
std::optional<std::string> no_single_hop(const Request& request);

// What stands in the way of rules over address bits: no map, a moved memory bit, a machine without
// address bits. Nothing if rules apply.
std::optional<std::string> no_rules(const Request& request);

// The map on processors of a request that no_rules accepts.
BitMap processor_map(const Request& request);

}  // namespace faro::inline v1::pops

namespace faro::inline v1 {

extern const PlannerEntry pops_affine;             // two hops, 2 or 2d/g slots
extern const PlannerEntry pops_affine_single_hop;  // one rule a slot

}  // namespace faro::inline v1
