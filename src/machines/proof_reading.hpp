// What the proofs of all machines read alike: whether goal and rules are the machine's, and where
// what a map brings somewhere began. Replays read by themselves.
#pragma once

#include <utility>
#include <vector>

#include "machines/judge.hpp"

namespace faro::inline v1 {

// Whether elements begin in slots, or registers, that a processor has, and end in such.
void check_room(const ScheduleHeader& header, const Breached& breached);

// Whether map, places and processors are the machine's, and no place is named twice.
void check_goal(const ScheduleHeader& header, const Breached& breached);

// The first of the parities that is none of an address with so many bits.
const Parity* misfit(const std::vector<Parity>& parities, int bits);
bool well_formed(const Rule& rule, int bits, const Breached& breached);
bool well_formed(const PopsRule& rule, int bits, const Breached& breached);

// The place, processor and slot, where what ends somewhere began.
//
//   'r c -> c r' of two bits, the second memory:  what ends in slot 0 of 1 began in slot 1 of 0
class MapBack {
 public:
  // Requires a goal that check_goal lets pass.
  explicit MapBack(const MapGoal& goal);
  std::pair<Word, std::uint64_t> operator()(Word processor, std::uint64_t slot) const;

 private:
  int memory_;
  bool cut_;
  BitMap back_;
};

}  // namespace faro::inline v1
