// Schedules for the tests of the cube's verifiers, written out here so that no planner is trusted.
#pragma once

#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::testing {

// Processor fields in Gray code to binary: bit j of the image is the parity of bits j and above.
inline BitMap gray_to_binary(int n) {
  std::vector<Word> columns;
  for (int i = 0; i < n; ++i) columns.push_back(low_mask(i + 1));
  return BitMap::from_columns(columns);
}

// Johnsson, Ho 1991, minimum paths: element k crosses the dimensions n-2..0 from a start of its
// own, and processors exchange where the parity of the bits between is odd.
inline RecordingSink gray_schedule(int n, int elements,
                                   Hypercube::Ports ports = Hypercube::Ports::all) {
  RecordingSink s;
  s.header.machine = Hypercube{n, ports};
  s.header.goal = MapGoal{gray_to_binary(n), false, 0};
  s.header.elements = s.header.slots = static_cast<std::uint64_t>(elements);
  s.header.planner = "sample";
  const int period = elements > n - 1 ? elements : n - 1;
  std::vector<Word> done(static_cast<std::size_t>(elements), 0);
  for (int t = 0; t < period; ++t) {
    CubeStep step;
    for (int k = 0; k < elements; ++k) {
      const int d = n - 2 - (k + t) % period;
      if (d < 0) continue;
      Word& crossed = done[static_cast<std::size_t>(k)];
      const Word above = crossed & ~low_mask(d + 1);
      const int x = above == 0 ? n - 1 : lowest_bit(above);
      step.rules.push_back(
          {{{bit_range(d + 1, x), 1}}, static_cast<Slot>(k), d, static_cast<Slot>(k)});
      crossed |= bit(d);
    }
    s.cube_steps.push_back(step);
  }
  return s;
}

}  // namespace faro::testing
