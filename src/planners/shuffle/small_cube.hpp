// The cube of the dimensions that take part, alone: where each element goes, by number.
//
//   complement of dimension 7 and a chain from slot bit 0 to dimension 3, K = 2: two dimensions,
//   active = {3, 7}, eight elements, two translations: {01, slot 1} and {10, slot 0}
#pragma once

#include <vector>

#include "faro/planners/shuffle/structure.hpp"

namespace faro::shuffle {

// Adds `nodes` to every processor number and `slots` to every slot number; that takes the map to
// itself. The lowest bit of `nodes` is in no other translation.
struct Translation {
  Word nodes = 0;
  Word slots = 0;
};

struct SmallCube {
  int slot_bits = 0;
  std::vector<int> active;  // the dimension of the whole cube that each of these is
  std::vector<Word> to;     // of element node << slot_bits | slot
  // One for each chain (all its dimensions and its control) and cycle (all its dimensions).
  std::vector<Translation> translations;

  int dimensions() const { return static_cast<int>(active.size()); }
  Word nodes() const { return bit(dimensions()); }
  Word node_of(Word address) const { return address >> slot_bits; }
  Slot slot_of(Word address) const { return static_cast<Slot>(address & low_mask(slot_bits)); }
  // The dimensions in which an element that is at `node` must still move.
  Word away(Word node, Word element) const { return node ^ node_of(to[element]); }
};

std::vector<int> active_dimensions(const Structure& s);
SmallCube small_cube(const Structure& s);

}  // namespace faro::shuffle
