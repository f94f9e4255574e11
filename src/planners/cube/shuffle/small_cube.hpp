// The cube of the dimensions that take part, alone: where each element goes, by number.
//
//   complement of dimension 7 and a chain from slot bit 0 to dimension 3 and back, K = 2:
//   active = {3, 7}, eight elements, two translations: {nodes 01, slots 1} and {nodes 10, slots 0};
//   two classes of elements: that of slot 0 and that of slot 1 of processor 0
//
// A translation of processor and slot numbers takes the map to itself, so what one element does all
// of its class may do. Its lead is the lowest bit of `nodes`; each dimension is in one translation.
#pragma once

#include <vector>

#include "planners/cube/shuffle/structure.hpp"

namespace faro::inline v1::shuffle {

// Adds `nodes` to the processor number and `slots` to the slot number of every element; then
// `nodes` and `slots_after` are added where they go.
struct Translation {
  Word nodes = 0;
  Word slots = 0;
  Word slots_after = 0;
  Word lead() const { return nodes & (~nodes + 1); }
};

struct SmallCube {
  int slot_bits = 0;
  std::vector<int> active;  // the dimension of the whole cube that each of these is
  std::vector<Word> to;     // of element node << slot_bits | slot
  // One for each chain (all its dimensions; control and target) and cycle (all its dimensions).
  std::vector<Translation> translations;

  int dimensions() const { return static_cast<int>(active.size()); }
  Word nodes() const { return bit(dimensions()); }
  Word node_of(Word address) const { return address >> slot_bits; }
  Slot slot_of(Word address) const { return static_cast<Slot>(address & low_mask(slot_bits)); }
  // The dimensions in which an element that is at `node` must still move.
  Word away(Word node, Word element) const { return node ^ node_of(to[element]); }

  // The member of a class whose processor, or whose goal, has no lead set.
  Word first_node(Word node) const;
  Word first_element(Word element) const;
  Word first_arrival(Word element) const;
};

std::vector<int> active_dimensions(const Structure& s);
SmallCube small_cube(const Structure& s);

}  // namespace faro::inline v1::shuffle
