// Whole arrays of any shape, moved by a map of axes of any length.
//
//   shape (100, 256, 64), 'r b c -> c rev(b) r'     shape (64, 256, 100)
//   shape (512, 512, 3), axes 2,0,1                 shape (3, 512, 512)
//   shape (6, 5), axis 0, 'i -> ~i'                 shape (6, 5), rows backwards
//
// What words do to an array is said by faro/words/say.hpp: words that name its axes must fit them
// and give the shape of the result; all others act on the array flattened in C order, and the shape
// stays.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/engine/permute_plan.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1 {

// A move of index bits, which the kernels of bits know best: of stored elements,
// outer x 2^p x inner.
struct BitsMove {
  BitMap map;
  PermuteShape shape;
};

struct ArrayMove {
  Map map;            // on logical indices
  TensorShape shape;  // of the stored arrays
  NpyHeader to;       // of the result
  std::string text;   // canonical
  TensorCut cut = {};
  std::optional<BitsMove> bits = {};  // the same, where all is bits and both are stored alike
};

struct AxisWords {
  // Groups of axes, neighbours in their order, each of which the words are of alone; none: all.
  std::vector<std::vector<std::int64_t>> axes = {};
  NpyHeader::Order order = NpyHeader::Order::c;  // of the result
  bool flat = false;                             // the words are of the flat index, the shape stays
  bool inverse = false;                          // the way back
};

// Throws what say does, and Error(usage) for axes that are not there; `name` begins its messages.
ArrayMove array_move(const NpyHeader& from, std::string_view text, const AxisWords& words,
                     const std::string& name);

// The map on stored indices, of arrays without gaps. Throws Error(impossible) where axes and digits
// have nothing in common.
Map stored_map(const ArrayMove& move, const NpyHeader& from);

// Axis axes[k] becomes axis k; axes may be negative. Empty: they stay. Throws Error(usage).
ArrayMove array_axes_move(const NpyHeader& from, const std::vector<std::int64_t>& axes,
                          NpyHeader::Order order, const std::string& name);

}  // namespace faro::inline v1
