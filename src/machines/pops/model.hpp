// What a partitioned optical passive star may do.
//
// POPS(d, g) has n = d·g processors in g groups of d; processor = group·d + local. Coupler c(to,
// from) carries one message a slot from one processor of group `from` to every processor of group
// `to` that listens; there is one for each ordered pair of groups, a group with itself included.
//
//   POPS(4, 2):  processors 0..3 | 4..7,  couplers c(0,0) c(1,0) c(0,1) c(1,1)
//                processor 1 sends its register 0 over c(1,0) and c(0,0); 2, 3 and 6 may listen
//
// In one slot all reads come before all writes, so two processors may exchange one register. The
// rules, by the names that the verifiers report:
//
//   R1  a coupler has one sender                    R6  two writes to one register of a processor
//   R2  a processor sends one message               R7  a register below the schedule's slots
//   R3  a processor listens to one coupler          R8  processors and groups in range; what is
//       (multi-receive: to each coupler once)           sent goes to some coupler
//   R4  a coupler listened to has a sender          R9  operations only in a matrix product, on
//   R5  a register that is sent holds something         registers that hold something
//
// Limits: d·g below 2^64. Rules over address bits need d and g powers of two.
// Source: Sahni, Matrix multiplication and data routing using a POPS network, section 1.
#pragma once

#include <cstdint>
#include <span>

#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1::pops {

// d·g. Throws Error(usage) if either is 0 and Error(limit) if the product does not fit 64 bits.
std::uint64_t processors(const Pops& machine);

inline std::uint64_t group_of(const Pops& machine, Word processor) {
  return processor / machine.group_size;
}
inline std::uint64_t local_of(const Pops& machine, Word processor) {
  return processor % machine.group_size;
}

// d and g are powers of two: an address is group bits | local bits.
bool has_address_bits(const Pops& machine);
// log2 of d, of g and of d·g. Require has_address_bits.
int local_bits(const Pops& machine);
int group_bits(const Pops& machine);
int address_bits(const Pops& machine);

// The processor whose bits, most significant first, are the rows' parities of p.
inline Word destination(std::span<const Parity> rows, Word p) {
  Word q = 0;
  for (const Parity& row : rows) q = (q << 1U) | (parity(p & row.mask) ^ row.value);
  return q;
}

// What the network is built of: g² couplers of degree d; every processor has g transmitters and g
// receivers.
struct Hardware {
  Count couplers = 0;
  Count coupler_degree = 0;
  Count transmitters = 0;
  Count receivers = 0;
  friend bool operator==(const Hardware&, const Hardware&) = default;
};
Hardware hardware(const Pops& machine);

}  // namespace faro::inline v1::pops
