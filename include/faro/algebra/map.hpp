// A map moves the digits of an index: an array of elements, rearranged by it, has the element of
// index x at index map(x).
//
// An index below N is written in digits of lengths n_1 .. n_k whose product is N, the most
// significant first. A map has such digits at the source, others at the destination, and says which
// digit goes where. A *length* goes whole, *turned*: reversed, rolled or both,
//
//   y = (x or n-1-x) + roll  mod n            one of 2n turns
//
// The digits of length 2 that are *bits* go together through one BitMap, which may mix them however
// far apart they stand.
//
//   3 and 4 exchanged:      from 3 x 4,  to 4 x 3                 5 = (1, 1) -> (1, 1) = 4
//   with the 3 reversed:    from 3 x 4,  to 4 x ~3                0 = (0, 0) -> (0, 2) = 2
//   np.roll(a, 1) of 12:    from 12,     to 12 rolled by 1        11 -> 0
//
// A BitMap is one: all its digits are bits. bits() asks for it, which costs nothing.
//
// Values are kept in normal form, so that equal functions are equal values. Lengths of 1 are gone.
// A digit n rolled by s is its *parts*: with g = gcd(n, s) the digit n/g rolled by s/g above a
// plain digit g, both reversed if it was (12 rolled by 4 is 3 rolled by 1 above 4). A plain 2^k is
// k bits, its reversal their complement; 2 and 4, rolled, are bits too: 4 rolled by 1 is (h, l) ->
// (h^l, ~l). A longer 2^k that is rolled by an odd number is no affine map and stays a length.
// Plain neighbours that stay neighbours, alike reversed, one of them a length, are one length: `a=3
// b=4 -> a b` is the identity of 12. (Checked by brute force: tests/algebra/map_test.cpp.)
//
// then(f, g) is not always a map. The places between f's destination digits and g's source digits
// that both have, or that go through a plain length of the other at a divisor, cut both into the
// same pieces. A piece must be one digit of both, or turned as a whole by both; else
// Error(impossible): 4 x 6 against 6 x 4 has no common digits; 8 rolled by 1, then an xor of two
// bits, moves no digits at all. Two calls, one after another, do it. Where f and g only move digits
// a refusal means that no map is their composition; with turns or sums of bits there may be one in
// rare cases.
//
// A digit that is rolled cannot be cut: its low part carries into the high one (see can_cut).
//
// At most 2^63 elements, or 64 bits where all is bits.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/base/count.hpp"

namespace faro::inline v1 {

// What happens within a digit of length n: reversed first, then rolled, by less than n.
struct Turn {
  bool reversed = false;
  Word roll = 0;
  friend bool operator==(const Turn&, const Turn&) = default;
};

// A digit of a source or a destination index. It is turned at the destination.
struct Digit {
  static constexpr int is_bit = -1;
  Word length = 2;        // how many values it has
  int which = is_bit;     // a length's number: 0, 1, .. in the order of the source
  bool reversed = false;  // n-1-x arrives
  Word roll = 0;          // and then this is added, modulo n
  friend bool operator==(const Digit&, const Digit&) = default;
};

// A map written out, most significant digits first. The source's bits, from the last one up, are
// the bits 0, 1, .. that `bits` takes, the destination's those that it gives.
struct Digits {
  std::vector<Digit> from;
  std::vector<Digit> to;
  BitMap bits;
  friend bool operator==(const Digits&, const Digits&) = default;
};

class Map {
 public:
  enum class Side { from, to };

  Map() = default;                        // of one element
  Map(const BitMap& map) : bits_(map) {}  // NOLINT(google-explicit-constructor): it is one
  static Map from_bits(const BitMap& map) { return {map}; }
  static Map identity(Word elements) { return turn(elements, {}); }
  // One digit. A roll is taken modulo `length`.
  static Map turn(Word length, Turn turn);
  // Axis order[k] of the source is axis k of the result, as NumPy's transpose has it.
  // Throws Error(usage) if `order` is no permutation or a length is 0, Error(limit) beyond 2^63.
  static Map from_axes(std::span<const Word> lengths, std::span<const int> order);
  // Any digits; the value is their normal form. Throws Error(usage) if the two sides do not have
  // the same lengths and bits, or a roll is not below its length.
  static Map from_digits(const Digits& digits);

  // The normal form, as a copy.
  Digits digits() const;
  Count elements() const;

  // Where the element at x goes. Requires x < elements().
  Word operator()(Word x) const;

  Map inverse() const;

  // The bit map if all digits are bits, else null. A power of two of elements is not enough: 8
  // rolled by 1 is none. Valid as long as this map.
  const BitMap* bits() const& { return lengths_ ? nullptr : &bits_; }
  const BitMap* bits() && = delete;
  // Throws Error(usage), naming a length that is none.
  BitMap as_bits() const;

  // Whether one side can be cut into blocks of `elements`: between two digits, or through a plain
  // length that they divide. Never through a bit or a rolled digit.
  bool can_cut(Side side, Word elements) const;

  // The same map written with digits so fine that every axis of arrays of these shapes is some of
  // them; all plain powers of two are bits. Throws Error(impossible) if there are no such digits,
  // Error(usage) if a shape has another number of elements.
  Digits digits_of(std::span<const Word> from_shape, std::span<const Word> to_shape) const;

  friend bool operator==(const Map& a, const Map& b);

 private:
  struct Lengths {  // both sides of a map that has some
    std::vector<Digit> from;
    std::vector<Digit> to;
  };
  static Map of_normal(Digits&& digits);
  friend Map then(const Map& f, const Map& g);

  BitMap bits_;                             // of the digits that are bits
  std::shared_ptr<const Lengths> lengths_;  // null: all are
};

// First f, then g. Throws Error(impossible) where no digits say it, Error(usage) for unequal
// numbers of elements.
Map then(const Map& f, const Map& g);

// (h, l) -> (high(h), low(l)): `low` within blocks of its elements, `high` on the blocks.
// Throws Error(limit) beyond 2^63 elements.
Map beside(const Map& high, const Map& low);

}  // namespace faro::inline v1
