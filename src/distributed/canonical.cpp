#include "distributed/canonical.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace faro::inline v1::distributed {
namespace {

// A growing set of independent vectors of rank bits and their images under N.
class Assignment {
 public:
  explicit Assignment(int width) : width_(width) {}
  // Does nothing if `from` is in the span already.
  void add(Word from, Word to) {
    if (reduce(from, span_) == 0) return;
    from_.push_back(from);
    to_.push_back(to);
    span_ = reduced_basis(from_);
  }
  BitMatrix matrix() const {
    FARO_CHECK(static_cast<int>(from_.size()) == width_);
    const auto inverse = BitMatrix::from_columns(width_, from_).inverse();
    FARO_CHECK(inverse.has_value());
    return then(*inverse, BitMatrix::from_columns(width_, to_));
  }

 private:
  int width_;
  std::vector<Word> from_, to_, span_;
};

// Vectors of `space` that extend the span of `inside` to it, in their order.
std::vector<Word> extension(const std::vector<Word>& inside, const std::vector<Word>& space) {
  std::vector<Word> all = inside;
  std::vector<Word> added;
  for (const Word vector : space) {
    if (reduce(vector, reduced_basis(all)) == 0) continue;
    all.push_back(vector);
    added.push_back(vector);
  }
  return added;
}

bool all_units(const BitMatrix& matrix) {
  for (int i = 0; i < matrix.columns(); ++i) {
    if (!is_power_of_two(matrix.column(i))) return false;
  }
  return true;
}

// N = A_pp modulo V, a bijection of U = {r : A_pp r in V} with V. The ranks r with A_pp r = r
// modulo V meet U and V in the same subspace, so that N may be the identity there. For a
// permutation of bits U and V are spanned by unit vectors, which are assigned to each other, equal
// ones first.
BitMatrix relabelling(const BitMatrix& pp, const std::vector<Word>& v, bool permutes_bits) {
  const int p = pp.columns();
  BitMatrix modulo(p, p);
  BitMatrix moved(p, p);
  for (int j = 0; j < p; ++j) {
    modulo.set_column(j, reduce(pp.column(j), v));
    moved.set_column(j, reduce(pp.column(j) ^ bit(j), v));
  }
  if (moved == BitMatrix(p, p)) return BitMatrix::identity(p);
  const std::vector<Word> u = modulo.kernel();
  const std::vector<Word> still = moved.kernel();
  std::vector<Word> common;
  if (permutes_bits) {
    std::copy_if(u.begin(), u.end(), std::back_inserter(common),
                 [&](Word x) { return reduce(x, v) == 0; });
  } else {
    // The intersection of U and V: solutions of the equations of both.
    BitMatrix both(word_bits, static_cast<int>(v.size()));
    for (std::size_t i = 0; i < v.size(); ++i) {
      both.set_column(static_cast<int>(i), reduce(pp.apply(v[i]), v));
    }
    const BitMatrix basis = BitMatrix::from_columns(p, v);
    for (const Word combination : both.kernel()) common.push_back(basis.apply(combination));
  }
  Assignment n(p);
  if (!permutes_bits) {
    for (const Word r : still) n.add(r, r);
  }
  for (const Word r : common) n.add(r, r);
  const std::vector<Word> from = extension(common, u);
  const std::vector<Word> to = extension(common, v);
  FARO_CHECK(from.size() == to.size());
  for (std::size_t i = 0; i < from.size(); ++i) n.add(from[i], to[i]);
  for (int j = 0; j < p; ++j) n.add(bit(j), pp.column(j));
  return n.matrix();
}

}  // namespace

BitMatrix sum(const BitMatrix& a, const BitMatrix& b) {
  FARO_CHECK(a.rows() == b.rows() && a.columns() == b.columns());
  BitMatrix result(a.rows(), a.columns());
  for (int i = 0; i < a.columns(); ++i) result.set_column(i, a.column(i) ^ b.column(i));
  return result;
}

Blocks blocks_of(const BitMatrix& matrix, int rank_bits) {
  const int p = rank_bits;
  const int m = matrix.columns() - p;
  return {matrix.block(m, p, m, p), matrix.block(m, p, 0, m), matrix.block(0, m, m, p),
          matrix.block(0, m, 0, m)};
}

CanonicalForm canonical_form(const BitMap& map, int rank_bits) {
  FARO_CHECK(rank_bits >= 0 && rank_bits <= map.width());
  CanonicalForm form;
  form.rank_bits = rank_bits;
  form.local_bits = map.width() - rank_bits;
  const int m = form.local_bits;
  const Blocks a = blocks_of(map.matrix(), rank_bits);
  form.rank_complement = m == word_bits ? 0 : map.complement() >> m;
  form.memory_complement = map.complement() & low_mask(m);
  form.v = a.pm.image();
  form.n = relabelling(a.pp, form.v, all_units(map.matrix()));
  form.n_inverse = *form.n.inverse();
  const BitMatrix lacking = sum(form.n, a.pp);
  form.x = BitMatrix(m, rank_bits);
  for (int j = 0; j < rank_bits; ++j) {
    const auto solution = a.pm.solve(lacking.column(j));
    FARO_CHECK(solution.has_value());
    form.x.set_column(j, *solution);
  }
  form.w = then(a.pm, form.n_inverse);
  form.g = sum(a.mp, then(form.x, a.mm));
  form.h = sum(a.mm, then(form.w, form.g));
  return form;
}

}  // namespace faro::inline v1::distributed
