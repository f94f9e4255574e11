// How many of its links a processor of a cube may use in a step.
//
//   cube:6 6     cube:6,one-port 1     cube:6,2-ports 2: Hypercube{6, Hypercube::Ports{2}}
#pragma once

#include <algorithm>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

inline int ports_of(const Hypercube& cube) {
  const int ports = static_cast<int>(cube.ports);
  return cube.ports == Hypercube::Ports::all ? cube.dimensions : std::min(ports, cube.dimensions);
}

// More than one and not all.
inline bool several_ports(const Hypercube& cube) {
  return cube.ports != Hypercube::Ports::all && cube.ports != Hypercube::Ports::one;
}

}  // namespace faro::inline v1
