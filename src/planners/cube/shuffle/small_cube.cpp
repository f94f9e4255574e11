#include "planners/cube/shuffle/small_cube.hpp"

#include <algorithm>

namespace faro::inline v1::shuffle {
namespace {

// A dimension of the whole cube to one of the small one.
Word small_mask(const SmallCube& cube, const std::vector<int>& dimensions) {
  Word mask = 0;
  for (std::size_t i = 0; i < cube.active.size(); ++i)
    if (std::find(dimensions.begin(), dimensions.end(), cube.active[i]) != dimensions.end())
      mask |= bit(static_cast<int>(i));
  return mask;
}

}  // namespace

Word SmallCube::first_node(Word node) const {
  for (const Translation& t : translations)
    if ((node & t.lead()) != 0) node ^= t.nodes;
  return node;
}

Word SmallCube::first_element(Word element) const {
  for (const Translation& t : translations)
    if ((node_of(element) & t.lead()) != 0) element ^= t.nodes << slot_bits | t.slots;
  return element;
}

Word SmallCube::first_arrival(Word element) const {
  for (const Translation& t : translations)
    if ((node_of(to[element]) & t.lead()) != 0) element ^= t.nodes << slot_bits | t.slots;
  return element;
}

std::vector<int> active_dimensions(const Structure& s) {
  std::vector<int> active;
  for (const Chain& c : s.chains)
    active.insert(active.end(), c.dimensions.begin(), c.dimensions.end());
  for (const Cycle& c : s.cycles)
    active.insert(active.end(), c.dimensions.begin(), c.dimensions.end());
  return active;
}

SmallCube small_cube(const Structure& s) {
  const int k = s.slot_bits;
  SmallCube cube{.slot_bits = k, .active = active_dimensions(s), .to = {}, .translations = {}};
  std::vector<int> small(static_cast<std::size_t>(s.processor_bits), -1);
  for (std::size_t i = 0; i < cube.active.size(); ++i)
    small[static_cast<std::size_t>(cube.active[i])] = static_cast<int>(i);
  const auto index = [&](int address_bit) {
    return address_bit < k ? address_bit : k + small[static_cast<std::size_t>(address_bit - k)];
  };
  const int width = k + cube.dimensions();
  cube.to.assign(bit(width), 0);
  for (Word x = 0; x < bit(width); ++x)
    for (int i = 0; i < width; ++i) {
      const int full = i < k ? i : k + cube.active[static_cast<std::size_t>(i - k)];
      const bool value = has_bit(x, index(s.source[static_cast<std::size_t>(full)])) !=
                         has_bit(s.complement, full);
      if (value) cube.to[x] |= bit(i);
    }
  for (const Chain& c : s.chains)
    cube.translations.push_back({small_mask(cube, c.dimensions), bit(c.control), bit(c.target)});
  for (const Cycle& c : s.cycles)
    cube.translations.push_back({small_mask(cube, c.dimensions), 0, 0});
  return cube;
}

}  // namespace faro::inline v1::shuffle
