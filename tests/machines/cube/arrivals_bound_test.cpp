// The bound of what reaches half of its links over few dimensions, and its certificate.
#include <gtest/gtest.h>

#include <algorithm>

#include "judged.hpp"
#include "machines/bounds.hpp"
#include "machines/certificates/check.hpp"

namespace faro {
namespace {

using certificates::check_bound;
using BoundAnswer = Verdict::BoundAnswer;

// p_0 gets a memory bit, p_j gets p_0 ^ p_j for all others: what crosses the n - 1 others reaches
// half of their links over dimension 0 alone, so that n(n - 1)/2 of them stand still at first.
TEST(ArrivalsBound, stars_wait_at_first) {
  using namespace certificate;
  testing::Judged judged(40);
  for (const int n : {4, 6, 13, 20, 40, 56})
    for (int m = 1; m <= 8; ++m) {
      std::vector<Word> rows;
      for (int i = 0; i < m; ++i) rows.push_back(i == 0 ? bit(m) : bit(i));
      rows.push_back(bit(0));
      for (int j = 1; j < n; ++j) rows.push_back(bit(m + j) | bit(m));
      const MapGoal star{.map = BitMap::from_matrix(BitMatrix::from_rows(n + m, rows)),
                         .cut = true,
                         .memory_bits = m};
      const Word others = low_mask(n) & ~Word{1};
      Count steps = 0;  // the least that is not refuted, counted one by one
      for (Count done = 0; done < Count{bit(m)} * static_cast<Count>(n - 1); ++steps)
        done += static_cast<Count>(n - 1) + std::min(static_cast<Count>(n - 1), steps);
      ScheduleHeader header;
      header.machine = Hypercube{.dimensions = n};
      header.elements = bit(m);
      header.slots = bit(m);
      header.goal = star;
      EXPECT_GE(lower_bound(header.machine, star, bit(m)).value, steps);
      header.bound = Bound{steps, "", Arrivals{{{1, 0}}, others}};
      EXPECT_EQ(check_bound(header).answer, BoundAnswer::checked) << n << ' ' << m;
      header.bound->value += 1;
      EXPECT_TRUE(check_bound(header).refuted.has_value());
      header.bound = Bound{steps, "", Arrivals{{{1, 1}}, others}};  // where all of them start
      EXPECT_EQ(check_bound(header).refuted.has_value(), steps > (Count{bit(m)} + 1) / 2)
          << n << ' ' << m;
      header.bound = Bound{steps, "", Arrivals{{{1, 0}}, bit(n)}};
      EXPECT_TRUE(check_bound(header).refuted.has_value());
      header.bound = Bound{steps, "", Arrivals{{{bit(n), 0}}, others}};
      EXPECT_TRUE(check_bound(header).refuted.has_value());
      header.bound = Bound{steps, "", Arrivals{{}, 0}};
      EXPECT_TRUE(check_bound(header).refuted.has_value());
      ++judged;
    }
}

}  // namespace
}  // namespace faro
