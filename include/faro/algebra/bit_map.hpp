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

#include <array>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"

// A matrix over GF(2), at most 64 x 64, stored by columns.
//
//   y = M·x:  xor together the columns of the set bits of x.
//
//       columns 0b10, 0b11 (bit 0 first)        x = 0b01 -> 0b10
//                                                x = 0b11 -> 0b10 ^ 0b11 = 0b01
//
// Column c is the image of input bit c; row r is the mask of input bits whose parity is output bit
// r. Bit 0 is the least significant in both. An ordinary value: copyable, comparable, no invariant
// beyond its shape.

namespace faro::inline v1 {

class BitMatrix {
 public:
  // All zero. Throws Error(usage) unless 0 <= rows, columns <= 64, as everything here does where a
  // size or a number does not fit.
  BitMatrix(int rows, int columns);
  BitMatrix() : BitMatrix(0, 0) {}

  static BitMatrix identity(int width);
  // columns[c] is the image of input bit c, below 2^rows.
  static BitMatrix from_columns(int rows, std::span<const Word> columns);
  // rows[r] is the mask whose parity is output bit r.
  static BitMatrix from_rows(int columns, std::span<const Word> rows);

  int rows() const { return rows_; }
  int columns() const { return columns_; }

  Word column(int c) const { return words_[at_column(c)]; }
  void set_column(int c, Word value) { words_[at_column(c)] = value; }
  Word row(int r) const;
  bool at(int r, int c) const { return has_bit(column(c), r); }

  Word apply(Word x) const {
    Word y = 0;
    for (; x != 0; x &= x - 1) y ^= words_[static_cast<std::size_t>(lowest_bit(x))];
    return y;
  }

  BitMatrix transposed() const;
  // Rows r0.. (count many) of columns c0.. (count many).
  BitMatrix block(int r0, int row_count, int c0, int column_count) const;

  int rank() const;
  // Nothing if singular; the matrix is square.
  std::optional<BitMatrix> inverse() const;
  // A basis of {x : M·x = 0} and of {M·x}, reduced, highest leading bit first.
  std::vector<Word> kernel() const;
  std::vector<Word> image() const;
  // Some x with M·x = y, nothing if there is none.
  std::optional<Word> solve(Word y) const;

  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;

 private:
  std::size_t at_column(int c) const {
    if (static_cast<unsigned>(c) >= static_cast<unsigned>(columns_)) refuse_column(c);
    return static_cast<std::size_t>(c);
  }
  [[noreturn]] void refuse_column(int c) const;

  int rows_;
  int columns_;
  // Unused columns are zero, so that == is the comparison of matrices.
  std::array<Word, word_bits> words_{};
};

// First f, then g: x -> g·(f·x), where f.rows() == g.columns().
BitMatrix then(const BitMatrix& f, const BitMatrix& g);

// A basis of the span of `vectors`, reduced (each leading bit in one vector only), highest leading
// bit first.
std::vector<Word> reduced_basis(std::span<const Word> vectors);

// What remains of x modulo a reduced basis; 0 exactly for the members of its span.
Word reduce(Word x, std::span<const Word> basis);

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

// An affine subspace of the addresses of `width` bits, given by parity constraints: the predicate
// of every schedule rule and the piece of every proof.
//
//   width 3, constraints parity(x & 0b101) = 1, parity(x & 0b010) = 0:   {0b001, 0b100}
//
// Kept reduced: every constraint's mask has a leading bit that no other mask has, highest first, so
// equal sets are equal values. The empty set is a value too (`empty()`); its constraints are
// unstated.

namespace faro::inline v1 {

// parity(x & mask) = value.
struct Parity {
  Word mask = 0;
  unsigned value = 0;

  bool holds(Word x) const { return parity(x & mask) == value; }
  friend bool operator==(const Parity&, const Parity&) = default;
};

class AffineSpace {
 public:
  // Every address of `width` bits, 0 to 64.
  static AffineSpace everything(int width);
  static AffineSpace nothing(int width);
  // The addresses that meet all constraints; possibly none. Mask 0 with value 0 is always true,
  // with value 1 never. Throws Error(usage) if a mask does not fit the width.
  static AffineSpace where(int width, std::span<const Parity> constraints);

  int width() const { return width_; }
  bool empty() const { return empty_; }
  // log2 of the number of addresses. Requires a set that is not empty.
  int dimension() const { return width_ - static_cast<int>(constraints_.size()); }
  const std::vector<Parity>& constraints() const { return constraints_; }

  bool contains(Word x) const;
  // Of one width, as all that follow; Error(usage) otherwise.
  bool contains(const AffineSpace& other) const;
  bool disjoint(const AffineSpace& other) const { return meet(other).empty(); }

  AffineSpace meet(const AffineSpace& other) const;
  AffineSpace meet(const Parity& constraint) const;
  // {x ^ by : x in this}.
  AffineSpace shifted(Word by) const;
  // {map(x) : x in this}.
  AffineSpace image(const BitMap& map) const;
  // This without `other`, as disjoint subspaces: at most one for each constraint of `other`.
  std::vector<AffineSpace> minus(const AffineSpace& other) const;
  // The union, where it is a subspace with one constraint less and the two differ in exactly one
  // value.
  std::optional<AffineSpace> merged(const AffineSpace& other) const;

  // The unique mask equal to `mask` on this set that has none of the constraints' leading bits,
  // with the constant to xor: parity(x & mask) = parity(x & result.mask) ^ result.value for all x
  // here.
  Parity reduced(Parity form) const;

  // Some address of the set; the smallest. Requires a set that is not empty.
  Word first() const;
  // Directions: a reduced basis of {x ^ y : x, y in this}, highest leading bit first.
  std::vector<Word> directions() const;
  // Calls visit(x) for all addresses, ascending. Requires a dimension below 64.
  template <class Visit>
  void for_each(Visit&& visit) const;

  friend bool operator==(const AffineSpace&, const AffineSpace&) = default;

 private:
  AffineSpace(int width, bool empty) : width_(width), empty_(empty) {}
  void add(Parity constraint);

  int width_ = 0;
  bool empty_ = false;
  std::vector<Parity> constraints_;
};

template <class Visit>
void AffineSpace::for_each(Visit&& visit) const {
  if (empty_) return;
  // directions() is reduced, so counting through its combinations in order walks addresses upward.
  const std::vector<Word> basis = directions();
  const auto free = static_cast<int>(basis.size());
  Word x = first();
  for (Word k = 0;;) {
    visit(x);
    if (++k == bit(free)) return;
    for (int i = 0; i <= lowest_bit(k); ++i) x ^= basis[static_cast<std::size_t>(free - 1 - i)];
  }
}

}  // namespace faro::inline v1
