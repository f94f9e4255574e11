// Which device holds an element, and where in its memory: [replica | index] -> [device | memory].
//
//   rep:1 x:3 -> x[2] rep | x[1:0]      8 elements on 4 devices, every element on two of them:
//                                       element 5 is on devices 2 and 3, at place 1 of each
//
// A placement with 2^r copies of 2^p elements is one BitMap with r more source bits, the highest,
// which number the copies. Which numbering is used does not matter: placements that put the same
// elements at the same places are equal, because replica columns are kept as a reduced basis and
// index columns modulo it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"

// What no affine map says, refused by name.
//
//   NotAffine        a table, with the first index that denies it: index 6 goes to 7; the images
//                    of 0, 2 and 4 say 6
//   NotExpressible   a layout of another system, with the reason: dtensor: axis 0 of 10 over 4
//                    ranks: they hold 3, 3, 3, 1 (uneven); 8, 12* or 16 would be even
//
// Nothing is approximated: a layout is a map, exactly, or one of these.

namespace faro::inline v1 {

class NotAffine : public Error {
 public:
  NotAffine(std::uint64_t index, std::uint64_t got, std::uint64_t expected,
            const std::string& message)
      : Error(ErrorCode::impossible, message), index_(index), got_(got), expected_(expected) {}
  std::uint64_t index() const { return index_; }
  std::uint64_t got() const { return got_; }
  std::uint64_t expected() const { return expected_; }

 private:
  std::uint64_t index_;
  std::uint64_t got_;
  std::uint64_t expected_;
};

// Why a layout has no map, or a map no layout.
enum class LayoutFault {
  size,        // an axis, or a number of devices, that is no power of two
  uneven,      // devices hold different numbers of elements
  replicated,  // copies, where one place was wanted
  partial,     // values that must be added
  manual,      // each device holds what its program says
  holes,       // places that no element has
  overlap,     // places that several elements have
  adds,        // an index is added to, with carries
  complement,  // the other system inverts no bit
  exclusive,   // the other system has no exclusive or ("xor")
  unknown,     // the other system itself does not say
};

const char* name_of(LayoutFault fault);  // "size", ..., "xor", "unknown"

class NotExpressible : public Error {
 public:
  // what() is "SYSTEM: REASON".
  NotExpressible(const std::string& system, LayoutFault fault, const std::string& reason)
      : Error(ErrorCode::impossible, system + ": " + reason), system_(system), fault_(fault) {}
  const std::string& system() const { return system_; }
  LayoutFault fault() const { return fault_; }

 private:
  std::string system_;
  LayoutFault fault_;
};

class Placement {
 public:
  // `map` has replica_bits + log2(elements) source bits and as many places, of which the top
  // device_bits say the device. The shape's sides are powers of two; empty is one axis of all
  // elements. Throws Error(usage) where these do not agree.
  Placement(const BitMap& map, int device_bits, int replica_bits = 0,
            std::vector<std::uint64_t> shape = {});

  const BitMap& map() const { return map_; }  // in the reduced form
  int device_bits() const { return device_bits_; }
  int memory_bits() const { return map_.width() - device_bits_; }
  int replica_bits() const { return replica_bits_; }
  int index_bits() const { return map_.width() - replica_bits_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }

  // Of one copy, 0 the first.
  std::uint64_t device(std::uint64_t index, std::uint64_t replica = 0) const;
  std::uint64_t memory(std::uint64_t index, std::uint64_t replica = 0) const;
  // The index of the element at a place.
  std::uint64_t index_at(std::uint64_t device, std::uint64_t memory) const;

  // i:3 -> i[2] | i[1:0]; with copies rep:1 i:3 -> ... The fields are those of shape_fields().
  Notation notation() const;
  std::string text() const;

  friend bool operator==(const Placement&, const Placement&) = default;

 private:
  BitMap map_;
  BitMap inverse_;
  int device_bits_ = 0;
  int replica_bits_ = 0;
  std::vector<std::uint64_t> shape_;
};

// The names that axes get in texts: i; r c; a b c d ...
std::vector<Field> shape_fields(const std::vector<std::uint64_t>& shape);

// How one axis of an array is dealt to parts: which part has an index, and where in it.
//
//   block, 10 over 4:                0 1 2 | 3 4 5 | 6 7 8 | 9          blocks of ceil(10/4)
//   block, 9 over 4:                 0 1 2 | 3 4 5 | 6 7 8 |            the last has none
//   listed, sizes 1 0 7 2:           0 | | 1 .. 7 | 8 9
//   cyclic, 10 over 4:               0 4 8 | 1 5 9 | 2 6 | 3 7
//   cyclic in blocks of 2, 10 / 3:   0 1 6 7 | 2 3 8 9 | 4 5            place 2 of part 1 is index
// 8
//
// Block and cyclic deals are a formula, whatever the length; others are a list of intervals, glued
// within a part. reversed() is the same deal of the indices n-1-x: part and place of x are those
// that the deal gives to n-1-x. rolled(s) gives x those of x + s modulo n, so that what was one
// interval may be two, one at each end of the axis.
//
// A Stretch is a set of indices x + k stride + u, k < count, u < run. What a part of one deal has
// in common with a part of another is a few stretches, which meets() gives for all parts of the
// other:
//
//   cyclic 10 over 4, part 1, with blocks of 5:    part 0: {1, run 1, count 1}   part 1: {5 and 9}
//
// They come sorted by x, and are the same whichever side is asked.

// Indices begin .. end - 1 are those of `part` from its place `local` on.
struct AxisPiece {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t part = 0;
  std::uint64_t local = 0;
};

struct Stretch {
  std::uint64_t x = 0;
  std::uint64_t run = 0;
  std::uint64_t count = 1;
  std::uint64_t stride = 0;
  std::uint64_t elements() const { return run * count; }
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

// The places of a stretch within a part: begin + k step + u, or, descending, begin - k step - u.
struct LocalStretch {
  std::uint64_t begin = 0;
  std::uint64_t step = 0;
  bool descending = false;
};

class AxisDeal {
 public:
  AxisDeal() = default;  // of length 1, in one part
  // All throw Error(usage) for lengths of 0, for no parts and for blocks of 0, Error(limit) beyond
  // lengths of 2^62.
  static AxisDeal whole(std::uint64_t length);
  static AxisDeal block(std::uint64_t length, std::uint64_t parts);
  // Block j is of part (first + j) mod parts.
  static AxisDeal cyclic(std::uint64_t length, std::uint64_t parts, std::uint64_t block = 1,
                         std::uint64_t first = 0);
  // Error(usage) unless the sizes add up to the length.
  static AxisDeal listed(std::uint64_t length, const std::vector<std::uint64_t>& sizes);
  // Error(usage) unless the pieces are every index and every place of every part once.
  static AxisDeal of_pieces(std::uint64_t length, std::uint64_t parts,
                            std::vector<AxisPiece> pieces);
  AxisDeal reversed() const;
  AxisDeal rolled(std::uint64_t roll) const;  // requires roll < length()
  // The deal of index h * low + l as one of h and one of l, where it is a product of the two: part
  // p is part p / low.parts() of the first and p % low.parts() of the second, and places are those
  // of (h, l) in C order. Nothing where it is none. Requires that `low` divides the length, and a
  // deal that is not rolled.
  //   cyclic 24 over 4, split at 12:   2 whole, 12 cyclic over 4       (4 divides 12)
  //   blocks of 3 over 8, at 6:        4 cyclic over 4, 6 in blocks of 3 over 2
  std::optional<std::pair<AxisDeal, AxisDeal>> split(std::uint64_t low) const;

  std::uint64_t length() const { return length_; }
  std::uint64_t parts() const { return parts_; }
  bool is_whole() const { return parts_ == 1; }
  bool is_reversed() const { return reversed_; }
  bool is_rolled() const { return roll_ != 0; }  // a deal in pieces is rolled by other pieces
  std::uint64_t size(std::uint64_t part) const;
  std::uint64_t part_of(std::uint64_t x) const;
  std::uint64_t place_of(std::uint64_t x) const;
  // Of a stretch that meets() gave for this part.
  LocalStretch local(const Stretch& stretch) const;
  // "block of 3", "cyclic", "cyclic in blocks of 2 from part 1", "1, 0, 7, 2"
  std::string text() const;

  friend bool operator==(const AxisDeal& a, const AxisDeal& b);

 private:
  friend class AxisMeets;
  friend struct AxisSide;
  std::uint64_t turned(std::uint64_t x) const {
    const std::uint64_t y = reversed_ ? length_ - 1 - x : x;
    return y < length_ - roll_ ? y + roll_ : y - (length_ - roll_);
  }
  // Every part has its indices in pieces, or in one block.
  bool has_pieces() const { return pieces_ || period() >= length_; }
  std::uint64_t period() const;
  std::uint64_t pieces() const;
  AxisPiece piece(std::uint64_t i) const;         // by rising y, in y = turned(x)
  std::uint64_t piece_at(std::uint64_t y) const;  // its number

  std::uint64_t length_ = 1;
  std::uint64_t parts_ = 1;
  std::uint64_t block_ = 1;
  std::uint64_t first_ = 0;
  bool reversed_ = false;
  std::uint64_t roll_ = 0;   // of a formula; a list is rolled itself
  std::uint64_t phase_ = 0;  // y is this much further; only AxisMeets has such deals
  struct List {
    std::vector<AxisPiece> by_index;
    std::vector<AxisPiece> by_part;
    std::vector<std::size_t> first;   // in by_part, of each part; and the end
    std::vector<std::uint64_t> size;  // of each part
  };
  std::shared_ptr<const List> pieces_;  // null: block and first say it
};

// What a part of `a` shares with one part of `b`.
struct AxisMeet {
  std::uint64_t part = 0;  // of b
  std::uint64_t elements = 0;
  std::uint64_t pieces = 0;  // intervals
  std::vector<Stretch> stretches;
};

// All nonempty ones by rising part. Requires deals of one length and a part of `a`.
std::vector<AxisMeet> meets(const AxisDeal& a, std::uint64_t part, const AxisDeal& b);
// With one part alone; nothing shared has no stretches.
AxisMeet meet(const AxisDeal& a, std::uint64_t part, const AxisDeal& b, std::uint64_t other);
// How many indices two parts share.
std::uint64_t shared(const AxisDeal& a, std::uint64_t part, const AxisDeal& b, std::uint64_t other);

// Which rank holds which elements of an array of any lengths, and where in its memory.
//
//   GridPlacement({3, 4}, {{AxisDeal::block(7168, 3), {0}}, {AxisDeal::cyclic(50257, 4), {1}}})
//       7168 x 50257 on 12 ranks: rank r is at row r / 4 and column r % 4 of the grid; it has
//       2390 (the last 2388) rows, and every fourth column
//   GridPlacement({2, 6}, {{AxisDeal::block(9, 6), {1}}})         both rows of the grid have copies
//
// A grid of ranks has dimensions; an axis of the array is dealt over some of them, the first the
// most significant in the number of its part, or over none. Dimensions over which nothing is dealt
// hold copies. A rank's elements are a dense array of local_shape(rank), whose axes lie in memory
// by memory_order, the slowest first. It may be empty.
//
// Ranks are 0, 1, .. in the grid's C order unless they are listed.

struct GridAxis {
  AxisDeal deal;
  std::vector<std::size_t> over;  // dimensions of the grid; their product is deal.parts()
};

struct GridOrder {
  std::vector<std::uint64_t> ranks = {};       // at the grid's places in C order; empty: 0, 1, ..
  std::vector<std::size_t> memory_order = {};  // of axes, the slowest first; empty: 0, 1, ..
};

class GridPlacement {
 public:
  // Throws Error(usage) for parts that are not the product of their dimensions, a dimension used
  // twice, lists that are no permutations; Error(limit) for more than 2^24 ranks, 2^62 elements.
  GridPlacement(std::vector<std::uint64_t> grid, std::vector<GridAxis> axes,
                const GridOrder& order = {});

  std::uint64_t ranks() const { return ranks_; }
  const std::vector<std::uint64_t>& grid() const { return grid_; }
  const std::vector<GridAxis>& axes() const { return axes_; }
  const std::vector<std::size_t>& memory_order() const { return memory_order_; }
  std::vector<std::uint64_t> shape() const;
  std::uint64_t elements() const;
  // How many ranks hold each element.
  std::uint64_t copies() const { return copies_; }

  // Of a rank: its part of an axis, and which of the copies it holds (the number of its place in
  // the dimensions that hold copies, in C order).
  std::uint64_t part(std::uint64_t rank, std::size_t axis) const;
  std::uint64_t copy(std::uint64_t rank) const;
  std::uint64_t rank_of(const std::vector<std::uint64_t>& parts, std::uint64_t copy) const;
  std::vector<std::uint64_t> local_shape(std::uint64_t rank) const;
  std::uint64_t local_elements(std::uint64_t rank) const;
  // "axis 0: blocks of 2390 over 3; axis 1: cyclic over 4"
  std::string text() const;

 private:
  std::vector<std::uint64_t> grid_;
  std::vector<GridAxis> axes_;
  std::vector<std::size_t> memory_order_;
  std::vector<std::size_t> copied_;      // dimensions that hold copies
  std::vector<std::uint64_t> strides_;   // of the grid, in C order
  std::vector<std::uint64_t> rank_at_;   // by place; empty: the place
  std::vector<std::uint64_t> place_of_;  // by rank; empty: the rank
  std::uint64_t ranks_ = 1;
  std::uint64_t copies_ = 1;
};

}  // namespace faro::inline v1
