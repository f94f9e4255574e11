// The bits of a map by the names of its text: what tables, pictures and JSON call them.
//
//   "r:2 c:1 -> c r"    labels c, r0, r1 (bit 0 first); row 2 is "c"
#pragma once

#include <string>
#include <vector>

#include "faro/algebra/notation.hpp"

namespace faro::inline v1 {

// Labels[b] of old bit b; i0, i1, ... where the text names no fields.
std::vector<std::string> bit_labels(const Notation& notation);

// New bit `row` as a sum of old ones, "r1 ^ c0", "~c0", "~(r1 ^ c0)"; of long runs only the ends,
// "i9 ^ .. ^ i2".
std::string row_text(const BitMap& map, int row, const std::vector<std::string>& labels);

}  // namespace faro::inline v1
