// The lowest free slot is taken first, and a new one is opened only where none is free.
#include "planners/node_slots.hpp"

#include <algorithm>

namespace faro::inline v1 {

NodeSlots::NodeSlots(std::size_t nodes, std::uint64_t elements)
    : nodes_(nodes), elements_(elements), slots_(elements) {
  for (Node& node : nodes_) node.opened = elements;
}

void NodeSlots::leave(std::size_t node, Slot slot) {
  Node& n = nodes_[node];
  if (slot >= n.free.size()) n.free.resize(slot + std::size_t{1});
  n.free[slot] = true;
  n.left.push(slot);
}

bool NodeSlots::take_own(std::size_t node, Slot element) {
  Node& n = nodes_[node];
  if (element >= elements_ || element >= n.free.size() || !n.free[element]) return false;
  n.free[element] = false;
  return true;
}

Slot NodeSlots::take(std::size_t node) {
  Node& n = nodes_[node];
  while (!n.left.empty() && !n.free[n.left.top()]) n.left.pop();
  if (n.left.empty()) {
    slots_ = std::max(slots_, n.opened + 1);
    return static_cast<Slot>(n.opened++);
  }
  const Slot slot = n.left.top();
  n.left.pop();
  n.free[slot] = false;
  return slot;
}

}  // namespace faro::inline v1
