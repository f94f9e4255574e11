// A bit map sends address x to y = A·x ⊕ c over GF(2).
//
//   width 3, bit reversal, then complement of bit 0:   x = 0b110  ->  0b011 ^ 0b001 = 0b010
//
//   y = the columns of the set bits of x, xor-ed together and with `complement`.
//   Columns are named by their input bit: column(0) is the image of bit 0.
//
// The direction, everywhere in the library: an array rearranged by `map` has the element of index x
// at index map(x). An immutable value, at most 64 bits wide, invertible from construction on.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>

#include "faro/algebra/bit_matrix.hpp"
#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {

// The columns given do not make an invertible map; `dependent` are inputs whose images xor to zero.
class NotInvertible : public Error {
 public:
  NotInvertible(const std::string& message, Word dependent)
      : Error(ErrorCode::usage, message), dependent_(dependent) {}
  Word dependent() const { return dependent_; }

 private:
  Word dependent_;
};

class BitMap {
 public:
  static BitMap identity(int width);
  // columns[i] is the image of bit i; the width is the number of columns. Throws NotInvertible,
  // naming the dependent columns, and Error(usage) if a column or the complement does not fit the
  // width.
  static BitMap from_columns(std::span<const Word> columns, Word complement = 0);
  static BitMap from_matrix(const BitMatrix& matrix, Word complement = 0);
  // Bit b goes to position place[b]; then `complement` is xor-ed. Throws Error(usage) if place is
  // no permutation.
  static BitMap from_places(std::span<const int> place, Word complement = 0);
  static BitMap from_places(std::initializer_list<int> place, Word complement = 0) {
    return from_places(std::span<const int>(place.begin(), place.size()), complement);
  }

  BitMap() = default;  // the identity of width 0

  int width() const { return matrix_.columns(); }
  const BitMatrix& matrix() const { return matrix_; }
  Word column(int i) const { return matrix_.column(i); }
  Word complement() const { return complement_; }

  // Where the element at x goes. Requires x < 2^width.
  Word operator()(Word x) const { return matrix_.apply(x) ^ complement_; }

  BitMap inverse() const;

  friend bool operator==(const BitMap&, const BitMap&) = default;

 private:
  BitMap(const BitMatrix& matrix, Word complement) : matrix_(matrix), complement_(complement) {}

  BitMatrix matrix_;
  Word complement_ = 0;
};

// First f, then g, of one width; throws Error(usage) otherwise, as beside() does above 64 bits.
BitMap then(const BitMap& f, const BitMap& g);

// Bits of `high` above bits of `low`: (h, l) -> (high(h), low(l)).
BitMap beside(const BitMap& high, const BitMap& low);

// Writes map(first), map(first + 1), ... to `out`. About one xor an element: `first` may be
// anything, the indices must stay below 2^width.
void apply_consecutive(const BitMap& map, Word first, std::span<Word> out);

std::size_t hash_of(const BitMap& map);

}  // namespace faro::inline v1

template <>
struct std::hash<faro::BitMap> {
  std::size_t operator()(const faro::BitMap& map) const { return faro::hash_of(map); }
};
