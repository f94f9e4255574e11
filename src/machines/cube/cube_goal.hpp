// A map's goal in the bits of a cube: destination processor bit d is row(d) over source address
// bits, and constant(d).
#pragma once

#include "faro/schedules/schedule.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

struct CubeGoal {
  const MapGoal& goal;
  int m;
  int n;  // processor bits of the map, which may be fewer than the cube's

  explicit CubeGoal(const MapGoal& map)
      : goal(map), m(map.cut ? map.memory_bits : 0), n(map.map.width() - m) {}

  Word row(int d) const { return goal.map.matrix().row(m + d); }
  bool constant(int d) const { return has_bit(goal.map.complement(), m + d); }
  bool stays(int d) const { return row(d) == bit(m + d) && !constant(d); }
};

}  // namespace faro::inline v1
