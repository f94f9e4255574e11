// Gaussian elimination of the rows of the matrix in two passes, none of which touches a row twice:
// the first makes the matrix triangular, the second clears what is left. An elimination step is its
// own inverse, so the steps reversed build the map.
#include "planners/cube/affine/row_operations.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/check.hpp"

namespace faro::inline v1 {

Rule RowOperation::rule(Slot slot) const {
  Rule r{.where = {}, .from = slot, .across = dimension, .to = slot};
  if (mask != 0) r.where.push_back({mask, 1U ^ constant});
  return r;
}

namespace {

struct Elimination {
  int dimension;
  Word added;  // the rows added to row `dimension`
};

// v modulo the rows done, in order; notes which rows that took.
struct Reduced {
  Word value;
  Word added;
};
Reduced reduced(Word v, std::span<const int> done, const std::vector<Word>& rows) {
  Word added = 0;
  for (const int i : done)
    if (has_bit(v, i)) {
      v ^= rows[static_cast<std::size_t>(i)];
      added |= bit(i);
    }
  return {v, added};
}

// The operations that turn the rows of an invertible matrix into the identity, touching rows in
// `order`.
std::vector<Elimination> eliminate(const BitMatrix& matrix, std::span<const int> order) {
  const int n = matrix.rows();
  std::vector<Word> rows(static_cast<std::size_t>(n));
  for (int r = 0; r < n; ++r) rows[static_cast<std::size_t>(r)] = matrix.row(r);
  const auto row = [&rows](int r) -> Word& { return rows[static_cast<std::size_t>(r)]; };
  std::vector<Elimination> operations;

  for (std::size_t at = 0; at < order.size(); ++at) {
    const int d = order[at];
    const auto done = order.first(at);
    Reduced now = reduced(row(d), done, rows);
    for (std::size_t later = at + 1; !has_bit(now.value, d); ++later) {
      FARO_CHECK(later < order.size());
      const Word sum = row(d) ^ row(order[later]);
      const Reduced tried = reduced(sum, done, rows);
      if (has_bit(tried.value, d)) now = {tried.value, tried.added | bit(order[later])};
    }
    if (now.added != 0) operations.push_back({d, now.added});
    row(d) = now.value;
  }
  for (std::size_t at = order.size(); at-- > 0;) {
    const int d = order[at];
    const Reduced now = reduced(row(d), order.subspan(at + 1), rows);
    FARO_CHECK(now.value == bit(d));
    if (now.added != 0) operations.push_back({d, now.added});
    row(d) = now.value;
  }
  return operations;
}

}  // namespace

std::vector<RowOperation> with_complement(std::vector<RowOperation> operations, int width,
                                          Word complement) {
  Word last_seen = 0;
  std::vector<bool> is_last(operations.size());
  for (std::size_t i = operations.size(); i-- > 0;) {
    is_last[i] = !has_bit(last_seen, operations[i].dimension);
    last_seen |= bit(operations[i].dimension);
  }
  Word carried = 0;  // the constant part of what the bits hold so far
  for (std::size_t i = 0; i < operations.size(); ++i) {
    RowOperation& o = operations[i];
    const unsigned incoming = parity(o.mask & carried);
    o.constant = 0;
    if (is_last[i])
      o.constant = (has_bit(complement, o.dimension) ? 1U : 0U) ^
                   (has_bit(carried, o.dimension) ? 1U : 0U) ^ incoming;
    carried ^= Word{incoming ^ o.constant} << o.dimension;
  }
  for (int d = 0; d < width; ++d)
    if (!has_bit(last_seen, d) && has_bit(complement, d)) operations.push_back({d, 0, 1});
  return operations;
}

std::vector<RowOperation> row_operations(const BitMap& map) {
  const int n = map.width();
  std::vector<int> up(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) up[static_cast<std::size_t>(i)] = i;
  std::vector<int> down(up.rbegin(), up.rend());
  const BitMatrix back = map.inverse().matrix();
  std::optional<std::vector<RowOperation>> best;
  for (const auto* order : {&up, &down})
    for (const bool of_inverse : {false, true}) {
      std::vector<Elimination> steps = eliminate(of_inverse ? back : map.matrix(), *order);
      // Reducing A to I by E1, E2, .. means A = E1·E2·.. : the last acts first. Reducing its
      // inverse means A = ..·E2·E1: as they come.
      if (!of_inverse) std::reverse(steps.begin(), steps.end());
      if (best && best->size() <= steps.size()) continue;
      best.emplace();
      for (const Elimination& e : steps) best->push_back({e.dimension, e.added, 0});
    }
  return with_complement(std::move(*best), n, map.complement());
}

}  // namespace faro::inline v1
