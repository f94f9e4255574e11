// The least number for which something holds that stays true from there on.
//
//   least_that(0, 100, [](std::uint64_t x) { return x * x >= 50; })  ->  8
#pragma once

#include <concepts>
#include <cstdint>

namespace faro::inline v1 {

// By halving: about log2(high - low) questions. Requires that it holds at `high`; then low..high is
// searched.
template <std::predicate<std::uint64_t> Holds>
constexpr std::uint64_t least_that(std::uint64_t low, std::uint64_t high, Holds&& holds) {
  while (low < high) {
    const std::uint64_t half = low + (high - low) / 2;
    if (holds(half))
      high = half;
    else
      low = half + 1;
  }
  return low;
}

}  // namespace faro::inline v1
