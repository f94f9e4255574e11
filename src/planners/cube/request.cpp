// A map splits where processor bits take nothing from memory; what slots get of the processor's
// bits is then said by the bits of the processor they arrive at.
#include "planners/cube/request.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1 {

const Hypercube* cube_of(const Request& request) {
  return std::get_if<Hypercube>(&request.machine());
}

int processor_bits(const Request& request) {
  const Hypercube* cube = cube_of(request);
  FARO_CHECK(cube != nullptr);
  return cube->dimensions;
}

std::optional<SplitMap> split_map(const Request& request) {
  if (!request.destinations().empty()) return {};
  const int n = processor_bits(request);
  const BitMap& map = request.map().map;
  const int m = request.map().cut ? request.map().memory_bits : 0;
  FARO_CHECK(map.width() == n + m);
  if (m == 0) return SplitMap{map, BitMap(), {}};
  const BitMatrix& a = map.matrix();
  if (a.block(m, n, 0, m) != BitMatrix(n, m)) return {};
  const BitMap processors = BitMap::from_matrix(a.block(m, n, m, n), map.complement() >> m);
  // The slot gets B·p, p the old processor: X·p' ^ X·c with X = B·A^-1 and p' = A·p ^ c the new.
  const BitMatrix x = then(processors.inverse().matrix(), a.block(0, m, m, n));
  SplitMap split{processors,
                 BitMap::from_matrix(a.block(0, m, 0, m), (map.complement() & low_mask(m)) ^
                                                              x.apply(processors.complement())),
                 {}};
  for (int i = 0; i < m; ++i) split.after.push_back(x.row(i));
  return split;
}

std::optional<std::string> cube_refusal(const Request& request) {
  const Hypercube* cube = cube_of(request);
  if (cube == nullptr) return "it is for a Boolean cube";
  if (!request.destinations().empty()) return "it plans maps, not lists of destinations";
  if (request.elements() == 0) return "there is no element to move";
  const int named = request.map().map.width() - (request.map().cut ? request.map().memory_bits : 0);
  if (named != cube->dimensions)
    return fmt::format("the map names {} processor bits, the cube has {} dimensions", named,
                       cube->dimensions);
  if (request.elements() > limits::cube_elements_max)
    return fmt::format("{} elements a processor; at most {} are planned", request.elements(),
                       limits::cube_elements_max);
  return {};
}

std::optional<std::string> cube_refusal(const Request& request, Hypercube::Ports ports) {
  if (auto why = cube_refusal(request)) return why;
  if (cube_of(request)->ports == ports) return {};
  return ports == Hypercube::Ports::all ? "it uses all ports at once"
                                        : "it is for machines with one port";
}

}  // namespace faro::inline v1
