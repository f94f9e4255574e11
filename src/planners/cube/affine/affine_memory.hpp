// Maps that mix processor and memory bits: K = 2^m slots, every affine map of n + m bits.
//
//   p:2 | m:2 -> m p      a transpose of a 4 x 4 array, a row in each processor
//
// In three parts. Slots are moved inside the processors by a linear function Z of the processor
// number, such that the rest sends processor bits by an invertible matrix P; row operations of P
// take every slot on, the same masks with constants of the slot's own; slots are moved again.
#pragma once

#include <cstdint>
#include <vector>

#include "planners/cube/affine/row_operations.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// The parts of a map of n processor bits above m memory bits.
struct MemoryMap {
  std::vector<Word> before;  // m masks: first, slot bit i ^= parity(p & before[i])
  BitMatrix processors;      // P: then p' = P·p ^ carry·s ^ constant
  BitMatrix carry;           // n x m
  Word constant = 0;
  BitMap slots;             // then s' = slots(s)
  std::vector<Word> after;  // and slot bit i ^= parity(p' & after[i])
};
MemoryMap memory_map(const BitMap& map, int memory_bits);

extern const PlannerEntry affine_memory;

}  // namespace faro::inline v1
