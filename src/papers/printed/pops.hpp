// What the paper's algorithms for POPS networks are made of: pops.cpp.
#pragma once

#include "faro/schedules/steps.hpp"

namespace faro::inline v1::pops {

// What the printed Theorem 3 says a reversal needs (wrong for d and g odd).
Count reversal_theorem3(const Pops& machine);

}  // namespace faro::inline v1::pops
