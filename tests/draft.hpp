// A request while it is written: tests fill in what they want, and it becomes a Request, checked,
// where one is wanted. A map of fewer processor bits than the cube has is one of a subcube.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "faro/planners/planner.hpp"

namespace faro::testing {

struct Draft {
  Machine machine = {};
  MapGoal map = {};
  std::vector<std::uint64_t> destinations = {};
  std::uint64_t elements = 1;

  operator Request() const {
    if (destinations.empty()) {
      const auto* cube = std::get_if<Hypercube>(&machine);
      if (cube != nullptr && map.cut && map.map.width() - map.memory_bits < cube->dimensions)
        return Request::on_subcube(*cube, map);
      return Request::of(machine, map, elements);
    }
    std::vector<std::uint64_t> sorted = destinations;
    std::sort(sorted.begin(), sorted.end());
    const bool permutation = sorted.back() < sorted.size() &&
                             std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (permutation && Count{sorted.size()} == processors(machine))
      return Request::of(machine, Destinations{destinations}, elements);
    return Request::of(machine, Relation{destinations}, elements);
  }
};

// A map of processor and memory bits on a cube of the others.
inline Draft cut_request(const BitMap& map, int memory_bits,
                         Hypercube::Ports ports = Hypercube::Ports::all) {
  return {.machine = Hypercube{.dimensions = map.width() - memory_bits, .ports = ports},
          .map = {.map = map, .cut = true, .memory_bits = memory_bits},
          .destinations = {},
          .elements = bit(memory_bits)};
}

}  // namespace faro::testing
