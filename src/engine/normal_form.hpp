// A tensor map between two arrays of given strides, as axes: what ways to move it are chosen by.
//
// Every axis has a length, a stride at the source and one at the destination, in bytes. Bits that
// only change places are axes of length 2, a reversal is a negative stride at the source; bits that
// are added to one another are one axis whose places a table or a matrix says (IndexMap). Lengths
// of 1 are gone, neighbours that stay neighbours are one axis, and what is contiguous on both sides
// is part of the element:
//
//   r=100 b:8 c=64 -> c rev(b) r, 4 bytes     element 4; 64: 4 / 102400;  2: 256 / 51200; ..
//   (h, w, 3) bytes -> (w, h, 3)              element 3; h: 3w / 3;  w: 3 / 3h
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

using Offset = std::int64_t;

// Bits that are added to one another: destination index y is at to_strides of its bits, and its
// element comes from x = columns of y's bits ^ translation, at from_strides of x's bits.
struct IndexMap {
  std::vector<Word> columns;
  Word translation = 0;
  std::vector<Offset> from_strides;
  std::vector<Offset> to_strides;

  Word source_of(Word y) const;
  Offset from_at(Word y) const;
  Offset to_at(Word y) const;
};

struct Axis {
  static constexpr int plain = -1;
  Offset length = 1;
  Offset from = 0;  // strides; of a mapped axis those of its lowest bits, if `from_even`, `to_even`
  Offset to = 0;
  int map = plain;        // number of an IndexMap
  bool from_even = true;  // whether index x (of a mapped axis) is at from * x
  bool to_even = true;
};

struct NormalForm {
  std::uint64_t element_bytes = 1;
  std::vector<Axis> axes;  // by falling destination stride
  std::vector<IndexMap> maps;
  Offset from_base = 0;  // of the element at the destination's lowest place, bytes in its buffer
  Offset to_base = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t from_bytes = 0;  // the least that the buffers must have
  std::uint64_t to_bytes = 0;

  Offset from_at(const Axis& axis, Offset i) const;
  Offset to_at(const Axis& axis, Offset i) const;
};

// Throws Error(usage) for shapes that are not the map's, strides that do not fit and destinations
// whose elements overlap, Error(impossible) where axes and digits have nothing in common,
// Error(limit) beyond an address. Requires a map that rolls nothing.
NormalForm normal_form(const Map& map, const TensorShape& shape);

// How many bytes a map moves. Throws as normal_form does for elements of no bytes and for too many.
std::uint64_t data_bytes_of(const Map& map, std::uint64_t element_bytes);

// Of any map: a digit that is rolled is two ranges, before and after the seam, and every choice of
// ranges is a form of its own, which moves its part of the data. At most `rolled_digits_max`.
inline constexpr int rolled_digits_max = 8;
std::vector<NormalForm> normal_forms(const Map& map, const TensorShape& shape);

// C order, from the buffer's beginning, without gaps.
bool is_dense(const ArrayPlaces& places, std::uint64_t element_bytes);

// A step of a walk over axes: where the outer axes are.
class Walk {
 public:
  Walk(const NormalForm& form, const std::vector<int>& axes);
  Word count() const { return count_; }
  void seek(Word index);  // the last axis runs fastest
  void next();
  Offset from() const { return from_; }
  Offset to() const { return to_; }

 private:
  struct At {
    const Axis* axis;
    Offset index;
    Offset from;
    Offset to;
  };
  // No axis is shorter than 2, and an address has 64 bits. Here, not in memory that is asked for:
  // small calls ask for none.
  static constexpr std::size_t axes_max = 64;
  void place(At& at, Offset index);
  const NormalForm& form_;
  std::array<At, axes_max> at_;
  std::size_t axes_ = 0;
  Word count_ = 1;
  Offset from_ = 0;
  Offset to_ = 0;
};

}  // namespace faro::inline v1::engine
