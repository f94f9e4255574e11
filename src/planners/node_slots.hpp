// Slots of nodes. A node is a processor, or a subspace of processors that act alike; a token, one
// element of each of its processors, fills it in one slot. Tokens hop between nodes:
//
//   leave all that hop in a step first, then let them arrive: a slot left in a step may be refilled
//   in it. Those whose own slot is free take it, then the others the lowest free one, else a new.
//
// A new slot is opened only when none is free, so the number of slots is the largest occupancy of a
// node whatever is chosen.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

class NodeSlots {
 public:
  static constexpr Slot any = ~Slot{0};
  struct Hop {
    Word from = 0;
    Slot slot = 0;
    Word to = 0;
    Slot own = any;  // wanted there
  };

  NodeSlots(std::size_t nodes, std::uint64_t elements);

  enum class First { own, nobody };

  // The hops of a step: arrive(i, slot) for each, those that take their own slot first, or one
  // after the other.
  template <class Arrive>
  void hop(const std::vector<Hop>& hops, Arrive&& arrive, First first = First::own) {
    for (const Hop& h : hops) leave(h.from, h.slot);
    others_.clear();
    for (std::size_t i = 0; i < hops.size(); ++i) {
      if (take_own(hops[i].to, hops[i].own))
        arrive(i, hops[i].own);
      else if (first == First::nobody)
        arrive(i, take(hops[i].to));
      else
        others_.push_back(i);
    }
    for (const std::size_t i : others_) arrive(i, take(hops[i].to));
  }

  void leave(std::size_t node, Slot slot);
  // Slot e of the node, if it is free. What was opened on the way is nobody's own.
  bool take_own(std::size_t node, Slot element);
  // The most slots of a node.
  std::uint64_t slots() const { return slots_; }

 private:
  struct Node {
    std::vector<bool> free = {};  // of those that were left
    // All that are free, the lowest on top, and some that were.
    std::priority_queue<Slot, std::vector<Slot>, std::greater<>> left = {};
    std::uint64_t opened = 0;  // slots, free or not
  };
  Slot take(std::size_t node);

  std::vector<Node> nodes_;
  std::uint64_t elements_;
  std::uint64_t slots_;
  std::vector<std::size_t> others_;
};

}  // namespace faro::inline v1
