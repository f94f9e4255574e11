// Elements that go together, so that few ways are looked for.
//
// Element (p, s) of a map with processors q = A·p ^ B·s ^ c crosses the dimensions set in
// (A + 1)·p ^ B·s ^ c. A translation (v, w) of both numbers with (A + 1)·v = B·w changes none of
// that. Of such translations one is taken for each v that has any: V are these v, w = F·v, F
// a matrix that is zero but for the highest bits of a basis of V; a coset's first processor has
// none of them. Where slots are first rearranged by s := s ^ F·p, the elements in slot s of the
// processors of a coset of V form a flock: all cross the same dimensions, and when they cross the
// same one at the same time they fill a slot of another coset. Two flocks want the same links only
// where they are in the same coset, so a plan for flocks is one for a machine of |P/V| nodes.
//
//   star: p_0 gets a memory bit, p_j gets p_0 ^ p_j      V: all p with p_0 = 0, two cosets whatever
//                                                        n is; a flock has half of the processors
//
// At the end a flock's elements want slots that differ by a linear function of v: of the processor
// where they have arrived, q ^ v for the element that began in p ^ v.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/schedules/schedule.hpp"
#include "planners/cube/request.hpp"

namespace faro::inline v1 {

class Flocks {
 public:
  // Requires a request that names a map of a cube.
  explicit Flocks(const Request& request);

  int dimensions() const { return dimensions_; }
  std::uint64_t elements() const { return elements_; }
  // Cosets are numbered by the bits of `free_`.
  int coset_bits() const { return static_cast<int>(free_.size()); }
  Word cosets() const { return bit(coset_bits()); }
  // What crossing a dimension adds to the number of the coset.
  Word across(int dimension) const { return across_[static_cast<std::size_t>(dimension)]; }

  // Dimensions that somebody crosses, by kind: those of one are crossed by the same flocks and add
  // the same to the number of a coset.
  const std::vector<Word>& kinds() const { return kinds_; }

  // Slots that differ by one of these, or by several, cross the same dimensions from a coset; each
  // has its highest bit alone.
  const std::vector<Word>& alike_slots() const { return alike_slots_; }

  // The dimensions that the flock of a coset and slot crosses; its slot in the end.
  Word away(Word coset, Slot slot) const;
  Slot home(Word coset, Slot slot) const;
  // The processors of the cosets that agree with `value` in the bits of `care`.
  std::vector<Parity> where(Word care, Word value) const;

  // Free steps before the first and after the last: slot bit i ^= parity(p & mask i), and if the
  // map falls apart its memory's part.
  void push_before(ScheduleSink& sink) const;
  void push_after(ScheduleSink& sink) const;

 private:
  void find_kinds();
  Word number(Word processor) const;
  Word first(Word coset) const;

  int dimensions_;
  int memory_bits_;
  std::uint64_t elements_;
  BitMap map_;                     // of addresses
  std::optional<SplitMap> split_;  // where the map falls apart
  std::vector<Word> basis_;        // of V: each has its highest bit alone
  std::vector<int> free_;          // dimensions that are no such bit
  std::vector<Word> across_;
  std::vector<Word> kinds_;
  std::vector<Word> alike_slots_;
  std::vector<Word> before_;
  std::vector<Word> after_;
};

}  // namespace faro::inline v1
