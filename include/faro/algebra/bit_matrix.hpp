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
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "faro/base/bits.hpp"

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

}  // namespace faro::inline v1
