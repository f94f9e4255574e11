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
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace faro::inline v1 {

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

}  // namespace faro::inline v1
