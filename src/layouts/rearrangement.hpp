// An einops pattern as what array libraries do with it, for axes of any length.
//
//   (a b) c -> c (b a), a=2   on (6, 4):   split into (2, 3, 4), transpose by (2, 1, 0), joined to
//                                          (4, 6)
//
// The map of the same pattern, where lengths are powers of two, is read_foreign("einops:...").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace faro::inline v1 {

struct Rearrangement {
  std::vector<std::uint64_t> split;   // the array's shape, one axis a name
  std::vector<std::size_t> order;     // of the result: its axis k is axis order[k] of the split
  std::vector<std::uint64_t> joined;  // the result's shape
};

// `pattern` with sizes behind it, as in the example. Throws NotationError.
Rearrangement einops_rearrangement(std::string_view pattern,
                                   const std::vector<std::uint64_t>& shape);

}  // namespace faro::inline v1
