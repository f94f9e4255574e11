// Exchanges of slots in place, two slots at a time on a link.
//
// Every slot is taken through row operations of one matrix, each ending with a complement of its
// own. An operation (d, mask, c) moves the processors with parity(p & mask) ^ c = 1: half of them.
// Two slots that do it with opposite c fit into one step, so an operation is two lanes:
//
//   lane c = 0:  slots 0 3 5 6      step after step one slot of each lane goes, 4 steps in all
//   lane c = 1:  slots 1 2 4 7
//
// Where nearly all slots are in one lane, some are complemented in a bit first: a full step each,
// but what reads that bit then finds them in the other lane. A list schedule puts the operations of
// all slots together; with one port it is operation after operation.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/base/limits.hpp"
#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"
#include "planners/cube/affine/row_operations.hpp"

namespace faro::inline v1 {

// Row operations whose product is the matrix, most bits with one operation: bits take their final
// value in turn, once that value reads the bit itself. Where no bit does, an extra operation helps
// one; at most 2n - 1 operations for n bits. The shortest of `tries` sequences, which begin with
// the bits from `first` on where they can.
std::vector<RowOperation> operations_in_turn(const BitMatrix& matrix, int first, int tries);

struct LaneExchange {
  std::uint64_t step = 0;
  std::uint32_t slot = 0;
  RowOperation operation;
};

struct ExchangeOrder {
  std::vector<LaneExchange> exchanges;  // by step
  std::uint64_t steps = 0;              // each has an exchange
};

// Slot s goes from p to matrix·p ^ complements[s]. The best of several sequences, lanes and orders;
// two thousand slots take most of a second.
ExchangeOrder exchange_order(const BitMatrix& matrix, const std::vector<Word>& complements,
                             Hypercube::Ports ports);

// Slots that are planned together; more are planned in groups of this size, one after the other.
inline constexpr std::uint64_t exchange_group = limits::affine_memory_packed_slots_max;

// One step of a plan for slots first, first + 1, .. as rules.
void add_exchanges(const ExchangeOrder& plan, std::uint64_t step, std::uint64_t first,
                   CubeStep& out);

}  // namespace faro::inline v1
