// The lowest free slot is taken first, and a new one is opened only where none is free.
#include "planners/cube/codes/node_slots.hpp"

#include <algorithm>

namespace faro::inline v1 {

NodeSlots::NodeSlots(std::size_t nodes, std::uint64_t elements)
    : nodes_(nodes), elements_(elements), slots_(elements) {
  for (Node& node : nodes_) node.opened = elements;
}

void NodeSlots::leave(std::size_t node, Slot slot) {
  nodes_[node].free.insert(slot);
}

bool NodeSlots::take_own(std::size_t node, Slot element) {
  return element < elements_ && nodes_[node].free.erase(element) != 0;
}

Slot NodeSlots::take(std::size_t node) {
  Node& n = nodes_[node];
  if (n.free.empty()) {
    slots_ = std::max(slots_, n.opened + 1);
    return static_cast<Slot>(n.opened++);
  }
  const Slot slot = *n.free.begin();
  n.free.erase(n.free.begin());
  return slot;
}

}  // namespace faro::inline v1
