// The assignment of rows to columns of a square table that has the greatest sum: shortest
// augmenting paths with prices (Kuhn, Munkres; in the form of Jonker and Volgenant 1987), n^3 at
// the worst and about n^2 where most rows find a free column at once.
#pragma once

#include <cstdint>
#include <vector>

namespace faro::inline v1 {

// By row, its column. `values` are n rows of n, at most 2^62.
std::vector<std::uint64_t> best_assignment(std::uint64_t n,
                                           const std::vector<std::uint64_t>& values);

}  // namespace faro::inline v1
