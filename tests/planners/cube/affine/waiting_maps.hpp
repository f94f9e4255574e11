// Maps whose bits are fed from memory one through the other, and the steps that plans aim at.
#pragma once

#include <algorithm>
#include <vector>

#include "draft.hpp"
#include "machines/bounds.hpp"
#include "maps.hpp"
#include "planners/cube/affine/job_plan.hpp"

namespace faro::testing {

// n', K/2 and the bound.
inline Count aim_of(const Draft& request) {
  const jobs::Moved moved = jobs::moved(request);
  return std::max(
      {static_cast<Count>(std::popcount(moved.task.to_do())), Count{moved.jobs},
       lower_bound(std::get<Hypercube>(request.machine), request.map, request.elements).value});
}

// Bits that wait for each other where pairs of elements go together: p_0 gets memory, p_j the sum
// with p_0; with all before it; with its parent in a tree.
enum class Waiting { star, prefix, tree };
inline Draft waiting(Waiting kind, int n, int m) {
  std::vector<Word> rows{bit(m)};
  for (int i = 1; i < m; ++i) rows.push_back(bit(i));
  rows.push_back(bit(0));
  for (int j = 1; j < n; ++j)
    rows.push_back(kind == Waiting::star     ? bit(m) | bit(m + j)
                   : kind == Waiting::prefix ? bit_range(m, m + j)
                                             : bit(m + j) | bit(m + (j - 1) / 2));
  return cut_request(BitMap::from_matrix(BitMatrix::from_rows(n + m, rows), 0), m);
}

}  // namespace faro::testing
