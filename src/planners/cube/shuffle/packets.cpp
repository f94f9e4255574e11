// The bits of a packet leave the map: chains keep their dimensions, and chain j gets storage bit j.
#include "planners/cube/shuffle/packets.hpp"

#include <algorithm>
#include <numeric>

#include "planners/cube/shuffle/structure.hpp"

namespace faro::inline v1::shuffle {

std::optional<Request> packed(const Request& request, int packet_log2) {
  if (refusal(request)) return std::nullopt;
  const Structure s = structure_of(request);
  const int slot_bits = s.slot_bits - packet_log2;
  if (packet_log2 < 0 || slot_bits < static_cast<int>(s.chains.size())) return std::nullopt;
  // Chain j gets storage bit j, where it begins and ends.
  std::vector<int> place(static_cast<std::size_t>(slot_bits + s.processor_bits));
  std::iota(place.begin(), place.end(), 0);
  Word complement = 0;
  const auto index = [&](int dimension) { return static_cast<std::size_t>(slot_bits + dimension); };
  const auto invert = [&](int dimension, unsigned inverted) {
    if (inverted != 0) complement |= bit(slot_bits + dimension);
  };
  for (std::size_t j = 0; j < s.chains.size(); ++j) {
    const Chain& c = s.chains[j];
    std::size_t last = j;
    for (std::size_t i = 0; i < c.dimensions.size(); ++i) {
      place[last] = slot_bits + c.dimensions[i];
      last = index(c.dimensions[i]);
      invert(c.dimensions[i], c.inverted[i]);
    }
    place[last] = static_cast<int>(j);
  }
  for (const Cycle& c : s.cycles)
    for (std::size_t i = 0; i < c.dimensions.size(); ++i) {
      place[index(c.dimensions[i])] = slot_bits + c.dimensions[(i + 1) % c.dimensions.size()];
      invert(c.dimensions[i], c.inverted[i]);
    }
  return Request::of(request.machine(), MapGoal{.map = BitMap::from_places(place, complement),
                                                .cut = true,
                                                .memory_bits = slot_bits});
}

}  // namespace faro::inline v1::shuffle
