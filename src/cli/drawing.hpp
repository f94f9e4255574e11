// Drawings of bit maps in text, for people.
#pragma once

#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace faro::cli {

// Wires from each bit of the old index (top) to its place in the new one (bottom), most significant
// first; ○ on a wire inverts the bit. place[b] is where bit b goes.
//
//   r1  r0  c
//   │   │   └─┐
//   │   └─────┼─────┐
//   └─────┐   │     │
//         r1  c ...
//
// Columns of sources and destinations interleave, so wires cross but never overlap.
std::string wire_drawing(const std::vector<int>& place, Word complement,
                         const std::vector<std::string>& labels);

// One row a bit of the new index: which bits of the old one are summed, as marks and in words.
//
//            r1 r0 c
//   bit 2     ·  · ●   c
//   bit 1     ●  ● ·   r1 ^ r0
//
// Above some thirty bits only the sums are written.
struct DrawingCut {
  int below = 0;  // a line is drawn between bit `below` and bit `below` - 1; 0: none
};
std::string matrix_drawing(const BitMap& map, const std::vector<std::string>& labels,
                           DrawingCut cut);

}  // namespace faro::cli
