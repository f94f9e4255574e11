// The lowest free slot is taken first, and a new one is opened only where none is free.
#include "planners/cube/codes/node_slots.hpp"

#include <algorithm>

namespace faro::inline v1 {

NodeSlots::NodeSlots(std::size_t nodes, std::uint64_t elements, Use use)
    : nodes_(nodes), elements_(elements), use_(use), slots_(elements) {
  for (Node& node : nodes_) node.opened = elements;
}

void NodeSlots::leave(std::size_t node, Slot slot) {
  (slot < elements_ ? nodes_[node].free_own : nodes_[node].free_transit).insert(slot);
}

bool NodeSlots::take_own(std::size_t node, Slot element) {
  return nodes_[node].free_own.erase(element) != 0;
}

Slot NodeSlots::take(std::size_t node) {
  Node& n = nodes_[node];
  std::set<Slot>& free = use_ == Use::shared && !n.free_own.empty() ? n.free_own : n.free_transit;
  if (free.empty()) {
    slots_ = std::max(slots_, n.opened + 1);
    return static_cast<Slot>(n.opened++);
  }
  const Slot slot = *free.begin();
  free.erase(free.begin());
  return slot;
}

}  // namespace faro::inline v1
