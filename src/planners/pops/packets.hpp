// Routes on a POPS network as packets, and the schedule they make.
//
//   packet from 0 to 5 over relay 3, slots 0 and 2:   slot 0: 0 -> 3,   slot 2: 3 -> 5
//   packet from 1 to 4 straight, slot 1:              slot 1: 1 -> 4
//
// A planner decides relays and slots; emission finds the transit registers, drops slots in which
// nothing is sent, and spells the slots out. Registers: 0..K-1 the elements of a processor, then K
// for what arrives, then transit. A transit register is free again for a packet that arrives in the
// slot in which the one before leaves.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/planners/planner.hpp"

namespace faro::inline v1::pops {

inline const Pops& machine_of(const Request& request) {
  return std::get<Pops>(request.machine());
}

inline constexpr Word no_relay = ~Word{0};

struct Packet {
  Word from = 0;
  Word to = 0;
  Word relay = no_relay;
  std::uint32_t first = 0;   // slot in which it leaves
  std::uint32_t second = 0;  // slot in which it leaves the relay
  Slot from_register = 0;
  Slot to_register = 1;
};

// A datum that goes straight in a slot, or over a relay in this slot and the next.
Packet hop(Word from, Word to, std::uint32_t slot);
Packet hop_over(Word from, Word relay, Word to, std::uint32_t slot);

// The schedule of the packets; they must break no rule of the machine. `result` as in the header.
void emit(const Request& request, std::string_view planner, const std::vector<Packet>& packets,
          std::vector<Slot> result, ScheduleSink& sink);

// A permutation's schedule, one element a processor: elements that stay stay in register 0.
void emit_permutation(const Request& request, std::string_view planner,
                      const std::vector<Packet>& packets, ScheduleSink& sink);

// Why destinations cannot be listed for the request; nothing if they can.
std::optional<std::string> no_list(const Request& request);
// The same, for planners of one element a processor.
std::optional<std::string> no_permutation(const Request& request);

// Processor p sends to destinations(request)[p]. Requires a request that no_list accepts.
std::vector<Word> destinations(const Request& request);

}  // namespace faro::inline v1::pops
