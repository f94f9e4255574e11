// What the proofs of all machines read alike: whether goal and rules are the machine's. Replays
// read by themselves.
#pragma once

#include <vector>

#include "machines/judge.hpp"

namespace faro::inline v1 {

// Whether elements begin in slots, or registers, that a processor has, and end in such.
void check_room(const ScheduleHeader& header, Judge& judge);

// Whether map, places and processors are the machine's, and no place is named twice.
void check_goal(const ScheduleHeader& header, Judge& judge);

// The first of the parities that is none of an address with so many bits.
const Parity* misfit(const std::vector<Parity>& parities, int bits);
bool fits(const PopsRule& rule, int bits);
// The same of a rule, told to the judge where it is not.
bool well_formed(const Rule& rule, int bits, Judge& judge);
bool well_formed(const PopsRule& rule, int bits, Judge& judge);

}  // namespace faro::inline v1
