// The notation of tensor maps: fields of bits `b:8` and fields of any length `r=100`.
//
//   r=100 b:8 c=64 -> c rev(b) r     shape (100, 256, 64) becomes (64, 256, 100), the middle axis
//                                    in bit-reversed order
//   r c -> c ~r                      lengths from the array: its transpose, columns backwards
//
// A length cannot be taken apart: it stands on the right exactly once, alone, beside others, in
// parentheses, behind '~' (n-1-x) or rolled. What takes bits (slices, '^', rev, gray, ..) takes
// powers of two only; they mix freely past lengths. docs/notation.md is the whole definition.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/algebra/notation.hpp"

namespace faro::inline v1 {

// Where '|' stands: the product of the digits left of it.
struct TensorCut {
  Cut::Kind kind = Cut::Kind::none;
  Word processors = 1;
  friend bool operator==(const TensorCut&, const TensorCut&) = default;
};

struct TensorField {
  std::string name;
  Word length = 1;
  bool bits = false;  // written or taken as bits
  friend bool operator==(const TensorField&, const TensorField&) = default;
};

// The canonical text: say gives back map and cut. For a map of bits that of the
// bit map, otherwise fields a, b, .. in the order of the source. Throws Error(impossible) where '|'
// would cut a digit of the source, as `=>` may have it.
std::string to_notation(const Map& map, const TensorCut& cut = {});

}  // namespace faro::inline v1
