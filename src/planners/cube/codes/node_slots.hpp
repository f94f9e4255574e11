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
  // shared: any free slot. own: slot e or a transit slot; the other elements' slots are theirs even
  // while free.
  enum class Use { shared, own };

  NodeSlots(std::size_t nodes, std::uint64_t elements, Use use);

  void leave(std::size_t node, Slot slot);
  // Slot e of the node, if it is free.
  bool take_own(std::size_t node, Slot element);
  // Another slot.
  Slot take(std::size_t node);
  // The most slots of a node.
  std::uint64_t slots() const { return slots_; }

 private:
  struct Node {
    std::set<Slot> free_own;      // below `elements`
    std::set<Slot> free_transit;  // from there on
    std::uint64_t opened = 0;     // slots, free or not
  };
  std::vector<Node> nodes_;
  std::uint64_t elements_;
  Use use_;
  std::uint64_t slots_;
};

}  // namespace faro::inline v1
