// Places: rows turned round. Given which (processor, slot) every index has, as p independent affine
// rows, it answers what a form of the index is at processor q in slot s.
//
//   rows, bit 0 first: processor {0b011}, {0b010}; slot {0b100}       (n 2, p 3, Gray processors)
//   index bit 0 at (q, s) is parity(q & 0b11); index bit 2 is s
#pragma once

#include <span>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/schedules/cost.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::inline v1::butterfly {

// A form as it reads at (q, s): parity(q & processor) ^ parity(s & slot) ^ constant.
struct Reading {
  Word processor = 0;
  Word slot = 0;
  unsigned constant = 0;
};

class Places {
 public:
  // Bit 0 first. Only the masks count; constants come with each question, so that plans whose rows
  // differ in constants share one inverse. Throws InternalError if the rows are dependent.
  Places(std::span<const Word> processor, std::span<const Word> slot);

  Reading read(const Form& form, Word constants) const;
  // The index at (q, s) as a map of q. `constants` has the constants of the rows, processor rows
  // from bit 0, slot rows above them.
  IndexMap indices(Word slot, Word constants) const;

 private:
  int processor_bits_;
  BitMatrix index_of_;    // place -> index
  BitMatrix reading_of_;  // its transpose: form of the index -> form of the place
};

// The constants of rows as Places wants them.
Word constants_of(std::span<const Form> processor, std::span<const Form> slot);

// Adds the condition that a reading, but for its slot, has this value; false if it never does.
bool also(std::vector<Parity>& where, const Reading& reading, unsigned value);

// Free steps after which the element at (q, s) is in the slot that the readings say, bit 0 first,
// for every slot from `first` to `end` - 1; the readings must permute these at every processor. One
// step for each independent mask of q in the readings, at least one where anything moves.
void relabel(std::span<const Reading> readings, Slot first, Slot end, CompiledSink& sink);
// The same for all slots: elements whose places `processor` and `memory` say, to the slots of the
// rows `wanted`.
void relabel(std::span<const Form> processor, std::span<const Form> memory,
             std::span<const Form> wanted, CompiledSink& sink);

// The stages of these index bits, one after the other and free: no row of a processor has them, and
// a bit's partner is in the slot that differs where the memory rows have the bit.
void local_stages(int index_bits, std::span<const Form> processor, std::span<const Form> memory,
                  std::span<const int> stages, CompiledSink& sink);

}  // namespace faro::inline v1::butterfly
