// Rates of lower bounds as exact fractions.
#pragma once

#include <cstdint>

#include "faro/base/count.hpp"

namespace faro::inline v1 {

struct Fraction {
  std::uint64_t above = 0;
  std::uint64_t below = 1;
};

// ceil(f * k).
inline Count ceil_of(Fraction f, std::uint64_t k) {
  return ceil_div(Count{f.above} * k, f.below);
}

}  // namespace faro::inline v1
