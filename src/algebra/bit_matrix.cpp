// Matrices over GF(2), by columns: products, inverses, ranks by elimination on words.
#include <algorithm>
#include <functional>

#include "base/require.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1 {

BitMatrix::BitMatrix(int rows, int columns) : rows_(rows), columns_(columns) {
  require(rows >= 0 && rows <= word_bits && columns >= 0 && columns <= word_bits,
          "a matrix of {} rows and {} columns: each is from 0 to {}", rows, columns, word_bits);
}

BitMatrix BitMatrix::identity(int width) {
  BitMatrix m(width, width);
  for (int i = 0; i < width; ++i) m.set_column(i, bit(i));
  return m;
}

BitMatrix BitMatrix::from_columns(int rows, std::span<const Word> columns) {
  require(columns.size() <= word_bits, "{} columns: a matrix has at most {}", columns.size(),
          word_bits);
  BitMatrix m(rows, static_cast<int>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    require((columns[c] & ~low_mask(rows)) == 0, "column {}, {:#x}, has bits above row {}", c,
            columns[c], rows - 1);
    m.words_[c] = columns[c];
  }
  return m;
}

BitMatrix BitMatrix::from_rows(int columns, std::span<const Word> rows) {
  return from_columns(columns, rows).transposed();
}

void BitMatrix::refuse_column(int c) const {
  throw Error(ErrorCode::usage, fmt::format("column {} of a matrix of {} columns", c, columns_));
}

Word BitMatrix::row(int r) const {
  require(r >= 0 && r < rows_, "row {} of a matrix of {} rows", r, rows_);
  Word mask = 0;
  for (int c = 0; c < columns_; ++c) mask |= ((column(c) >> r) & 1U) << c;
  return mask;
}

BitMatrix BitMatrix::transposed() const {
  BitMatrix t(columns_, rows_);
  for (int r = 0; r < rows_; ++r) t.set_column(r, row(r));
  return t;
}

BitMatrix BitMatrix::block(int r0, int row_count, int c0, int column_count) const {
  require(r0 >= 0 && row_count >= 0 && row_count <= rows_ - r0 && c0 >= 0 && column_count >= 0 &&
              column_count <= columns_ - c0,
          "{} rows from {} and {} columns from {} of a matrix of {} by {}", row_count, r0,
          column_count, c0, rows_, columns_);
  BitMatrix b(row_count, column_count);
  for (int c = 0; c < column_count && row_count > 0; ++c)
    b.set_column(c, (column(c0 + c) >> r0) & low_mask(row_count));
  return b;
}

int BitMatrix::rank() const {
  return static_cast<int>(image().size());
}

namespace {

// Columns brought to echelon form, each with the input that produces it.
struct Pivot {
  Word value;  // M·input, with a leading bit that no other pivot has
  Word input;
};

struct Elimination {
  std::vector<Pivot> pivots;
  std::vector<Word> kernel;
};

Elimination eliminate(const BitMatrix& m) {
  Elimination result;
  for (int c = 0; c < m.columns(); ++c) {
    Pivot now{m.column(c), bit(c)};
    for (const Pivot& p : result.pivots) {
      if (!has_bit(now.value, highest_bit(p.value))) continue;
      now.value ^= p.value;
      now.input ^= p.input;
    }
    if (now.value == 0) {
      result.kernel.push_back(now.input);
      continue;
    }
    for (Pivot& p : result.pivots) {
      if (!has_bit(p.value, highest_bit(now.value))) continue;
      p.value ^= now.value;
      p.input ^= now.input;
    }
    result.pivots.push_back(now);
  }
  return result;
}

}  // namespace

std::optional<BitMatrix> BitMatrix::inverse() const {
  require(rows_ == columns_, "a matrix of {} rows and {} columns has no inverse: it is not square",
          rows_, columns_);
  const Elimination e = eliminate(*this);
  if (static_cast<int>(e.pivots.size()) != rows_) return std::nullopt;
  // Fully reduced and of full rank, every pivot is a unit vector.
  BitMatrix result(rows_, rows_);
  for (const Pivot& p : e.pivots) result.set_column(highest_bit(p.value), p.input);
  return result;
}

std::vector<Word> BitMatrix::kernel() const {
  return reduced_basis(eliminate(*this).kernel);
}

std::vector<Word> BitMatrix::image() const {
  return reduced_basis(std::span(words_.data(), static_cast<std::size_t>(columns_)));
}

std::optional<Word> BitMatrix::solve(Word y) const {
  Word x = 0;
  for (const Pivot& p : eliminate(*this).pivots) {
    if (!has_bit(y, highest_bit(p.value))) continue;
    y ^= p.value;
    x ^= p.input;
  }
  if (y != 0) return std::nullopt;
  return x;
}

BitMatrix then(const BitMatrix& f, const BitMatrix& g) {
  require(f.rows() == g.columns(), "a matrix of {} columns cannot follow one of {} rows",
          g.columns(), f.rows());
  BitMatrix result(g.rows(), f.columns());
  for (int c = 0; c < f.columns(); ++c) result.set_column(c, g.apply(f.column(c)));
  return result;
}

std::vector<Word> reduced_basis(std::span<const Word> vectors) {
  std::vector<Word> basis;
  for (Word v : vectors) {
    v = reduce(v, basis);
    if (v == 0) continue;
    for (Word& b : basis)
      if (has_bit(b, highest_bit(v))) b ^= v;
    basis.push_back(v);
  }
  std::sort(basis.begin(), basis.end(), std::greater<>());
  return basis;
}

Word reduce(Word x, std::span<const Word> basis) {
  for (const Word b : basis)
    if (has_bit(x, highest_bit(b))) x ^= b;
  return x;
}

}  // namespace faro::inline v1
