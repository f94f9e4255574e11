#include "distributed/assignment.hpp"

#include <algorithm>
#include <limits>

namespace faro::inline v1 {
namespace {

constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max();

// Costs are minus the values; row and column 0 are none, rows and columns count from 1.
struct Prices {
  std::uint64_t n;
  const std::vector<std::uint64_t>& values;
  std::vector<std::int64_t> of_row, of_column;
  std::vector<std::uint64_t> row_of;  // of a column, 0: free

  std::int64_t reduced(std::uint64_t row, std::uint64_t column) const {
    return -static_cast<std::int64_t>(values[((row - 1) * n) + column - 1]) - of_row[row] -
           of_column[column];
  }
  void place(std::uint64_t row);
};

void Prices::place(std::uint64_t row) {
  std::vector<std::int64_t> least(n + 1, far_away);
  std::vector<std::uint64_t> before(n + 1, 0);
  std::vector<bool> reached(n + 1, false);
  row_of[0] = row;
  std::uint64_t at = 0;
  while (row_of[at] != 0) {
    reached[at] = true;
    const std::uint64_t from = row_of[at];
    std::int64_t step = far_away;
    std::uint64_t next = 0;
    for (std::uint64_t c = 1; c <= n; ++c) {
      if (reached[c]) continue;
      const std::int64_t cost = reduced(from, c);
      if (cost < least[c]) {
        least[c] = cost;
        before[c] = at;
      }
      // Of equally near columns a free one ends the search.
      if (least[c] < step || (least[c] == step && row_of[c] == 0 && row_of[next] != 0)) {
        step = least[c];
        next = c;
      }
    }
    for (std::uint64_t c = 0; c <= n; ++c) {
      if (reached[c]) {
        of_row[row_of[c]] += step;
        of_column[c] -= step;
      } else if (least[c] != far_away) {
        least[c] -= step;
      }
    }
    at = next;
  }
  while (at != 0) {
    row_of[at] = row_of[before[at]];
    at = before[at];
  }
}

}  // namespace

std::vector<std::uint64_t> best_assignment(std::uint64_t n,
                                           const std::vector<std::uint64_t>& values) {
  Prices prices{n, values, {}, {}, {}};
  prices.of_row.assign(n + 1, 0);
  prices.of_column.assign(n + 1, 0);
  prices.row_of.assign(n + 1, 0);
  // Every row's price is that of its best column, so that no reduced cost is below 0.
  for (std::uint64_t r = 1; r <= n; ++r) {
    const auto* row = values.data() + ((r - 1) * n);
    prices.of_row[r] = -static_cast<std::int64_t>(*std::max_element(row, row + n));
  }
  for (std::uint64_t r = 1; r <= n; ++r) prices.place(r);
  std::vector<std::uint64_t> column_of(n);
  for (std::uint64_t c = 1; c <= n; ++c) column_of[prices.row_of[c] - 1] = c - 1;
  return column_of;
}

}  // namespace faro::inline v1
