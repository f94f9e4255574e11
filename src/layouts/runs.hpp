// What the writers share: a permutation of bits as runs that move together.
//
//   i:5 -> i[1:0] ~i[4] i[3:2]      runs, highest place first: (source 1..0), ~(4), (3..2)
#pragma once

#include <vector>

#include "layouts/foreign.hpp"

namespace faro::inline v1::layouts {

struct Run {
  int top = 0;     // highest source bit
  int length = 0;  // source bits top .. top - length + 1
  bool inverted = false;
  int bottom() const { return top - length + 1; }
};

// The longest runs in order of their places, highest first; none crosses a source bit in `cuts` (a
// run ends above it) or a place in `place_cuts`. Throws NotExpressible(xor) in the name of `system`
// where some place is a sum.
std::vector<Run> runs_of(const BitMap& map, const char* system, const std::vector<int>& cuts = {},
                         const std::vector<int>& place_cuts = {});

// Where each axis of the shape begins: the lowest source bits of all axes but the last one's 0.
std::vector<int> axis_bottoms(const std::vector<std::uint64_t>& shape);

// The layout as a placement, with one axis where it names no shape; refuses plain maps.
Placement placement_of(const ForeignLayout& layout, const char* system);

// Cut over the top bits of each axis, and all else in C order in memory: what a mesh says.
struct MeshWords {
  struct Axis {
    int array_axis = -1;  // -1: copies
    int bits = 0;
    int skip = 0;  // bits of the local axis above those cut: 0 for all but strided shards
  };
  std::vector<Axis> axes;  // highest device bits first
};
// Strided cuts are refused unless `strided`.
MeshWords mesh_words(const Placement& placement, const char* system, bool strided);

}  // namespace faro::inline v1::layouts
