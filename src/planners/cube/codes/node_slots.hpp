// Slots of nodes. A node is a subspace of processors that act alike; a token, one element of each
// of its processors, fills it in one slot. Tokens hop between nodes:
//
//   leave all that hop in a step first, then let them arrive: a slot left in a step may be refilled
//   in it. Element e takes slot e where that is free, else the lowest free one, else a new one.
//
// A new slot is opened only when none is free, so the number of slots is the largest occupancy of a
// node whatever is chosen.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

class NodeSlots {
 public:
  NodeSlots(std::size_t nodes, std::uint64_t elements);

  void leave(std::size_t node, Slot slot);
  // Slot e of the node, if it is free. What was opened on the way is nobody's own.
  bool take_own(std::size_t node, Slot element);
  // Another slot.
  Slot take(std::size_t node);
  // The most slots of a node.
  std::uint64_t slots() const { return slots_; }

 private:
  struct Node {
    std::set<Slot> free;
    std::uint64_t opened = 0;  // slots, free or not
  };
  std::vector<Node> nodes_;
  std::uint64_t elements_;
  std::uint64_t slots_;
};

}  // namespace faro::inline v1
