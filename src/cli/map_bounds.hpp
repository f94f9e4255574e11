// What a map costs at least on each kind of machine, for as many processors as it speaks of.
#pragma once

#include <string>
#include <vector>

#include "faro/algebra/notation.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::cli {

struct MachineBound {
  std::string machine;  // as --on takes it
  std::string unit;     // "steps", "unit routes", "slots"
  Bound bound;
};

// One row a machine for which a bound is known; none for layouts, which move nothing by themselves.
std::vector<MachineBound> map_bounds(const Notation& notation);

}  // namespace faro::cli
