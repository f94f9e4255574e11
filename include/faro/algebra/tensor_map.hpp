// A tensor map rearranges arrays whose axes have any length.
//
// An index of an array of lengths n_1 .. n_k is a number with k digits of these radices. A tensor
// map moves digits: a *length* goes whole to its place, reversed (n-1-x) if wanted; *bits*, digits
// of radix 2, go through one BitMap, which may mix them however far apart they stand.
//
//   lengths 3, 4 swapped:    from  3 x 4,  to  4 x 3     5 = (1, 1) -> (1, 1) = 4
//   with the 3 reversed:     from  3 x 4,  to  4 x ~3    5 = (1, 1) -> (1, 2-1) = 4,  0 -> 2
//   r=100 b:8 c=64 -> c rev(b) r                         the same in the notation
//
// Values are kept in normal form, so that equal functions are equal values: lengths of 1 are gone,
// a length of 2^k is k bits (its reversal their complement), neighbours that stay neighbours, alike
// reversed, are one length: `a=3 b=4 -> a b` is the identity of 12. (Checked by brute force for all
// maps of up to 360 elements and three digits, of 48 and four.)
//
// Tensor maps are a groupoid, no group: `then(f, g)` needs a common refinement of f's destination
// digits and g's source digits: the products of digits from the right, of both together in
// ascending order, must each divide the next. 4 x 6 against 6 x 4: 4, 6, 24, and 4 does not divide
// 6: Error(impossible); two passes do it. Where f and g only move digits a refusal means that no
// tensor map is their composition; with reversals (that of 6 is both ~2 ~3 and ~3 ~2) or sums of
// bits there may be one all the same.
//
// At most 2^63 elements, or 64 bits where all is bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1 {

// A digit of a source or a destination index.
struct Digit {
  static constexpr int is_bit = -1;
  Word length = 2;        // how many values it has
  int which = is_bit;     // a length's number: 0, 1, .. in the order of the source
  bool reversed = false;  // at the destination: n-1-x arrives
  friend bool operator==(const Digit&, const Digit&) = default;
};

// A map written out, most significant digits first. The source's bits, from the last one up, are
// the bits 0, 1, .. that `bits` takes, the destination's those that it gives.
struct TensorDigits {
  std::vector<Digit> from;
  std::vector<Digit> to;
  BitMap bits;
  friend bool operator==(const TensorDigits&, const TensorDigits&) = default;
};

class TensorMap {
 public:
  TensorMap() = default;  // of one element
  static TensorMap identity(Word elements);
  static TensorMap from_bits(const BitMap& map);
  // Axis order[k] of the source is axis k of the result, as NumPy's transpose has it.
  // Throws Error(usage) if `order` is no permutation or a length is 0, Error(limit) beyond 2^63.
  static TensorMap from_axes(std::span<const Word> lengths, std::span<const int> order);
  // Throws Error(usage) if the two sides do not have the same lengths and bits.
  static TensorMap from_digits(const TensorDigits& digits);

  // The normal form.
  const TensorDigits& digits() const { return digits_; }
  Count elements() const;

  // Where the element at x goes. Requires x < elements().
  Word operator()(Word x) const;

  TensorMap inverse() const;

  // The bit map, if all digits are bits.
  std::optional<BitMap> bits() const;
  // Throws Error(usage) naming a length that is none.
  BitMap as_bits() const;

  // The same map written with digits so fine that every axis of arrays of these shapes is some of
  // them; all powers of two are bits. Throws Error(impossible) if there are no such digits,
  // Error(usage) if a shape has another number of elements.
  TensorDigits digits_of(std::span<const Word> from_shape, std::span<const Word> to_shape) const;

  friend bool operator==(const TensorMap&, const TensorMap&) = default;

 private:
  explicit TensorMap(TensorDigits digits) : digits_(std::move(digits)) {}
  friend TensorMap then(const TensorMap& f, const TensorMap& g);
  TensorDigits digits_;
};

// First f, then g. Throws Error(impossible) where no digits say it, Error(usage) for unequal
// numbers of elements.
TensorMap then(const TensorMap& f, const TensorMap& g);

// (h, l) -> (high(h), low(l)): `low` within blocks of its elements, `high` on the blocks.
TensorMap beside(const TensorMap& high, const TensorMap& low);

}  // namespace faro::inline v1
