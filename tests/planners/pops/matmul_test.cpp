// Matrix products on POPS networks: golden counts, formulas, numbers that wrap around.
#include "planners/pops/matmul/matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/pops/bounds.hpp"
#include "machines/pops/performer.hpp"
#include "paths.hpp"
#include "planners/pops/matmul/slots.hpp"

namespace faro {
namespace {

struct Counted {
  Verdict verdict;
  std::uint64_t registers = 0;
};

class Registers : public ScheduleSink {
 public:
  std::uint64_t count = 0;
  void begin(const ScheduleHeader& header) override { count = header.slots; }
  void step(const PopsSlot&) override {}
  void finish() override {}
};

Counted counted(const Pops& machine, std::uint64_t order, MatmulAlgorithm algorithm) {
  const auto replay = make_replay();
  Registers registers;
  TeeSink tee({replay.get(), &registers});
  push_matmul(machine, order, algorithm, tee);
  return {replay->verdict(), registers.count};
}

template <class T>
std::vector<T> multiplied(const Pops& machine, std::uint64_t order, MatmulAlgorithm algorithm,
                          const std::vector<T>& a, const std::vector<T>& b) {
  PopsMultiplier<T> network(a, b);
  push_matmul(machine, order, algorithm, network);
  return network.take_product();
}

// Rows: N d g paper_count printed_text_valid slots compute_rounds registers lower_bound.
TEST(PopsMatmul, meets_the_golden_counts) {
  const auto golden =
      nlohmann::json::parse(std::ifstream(testing::source_path("tests/data/pops.json")));
  testing::Judged judged(static_cast<int>(golden["matmul"].size()) * 3 / 4);
  for (const auto& row : golden["matmul"]) {
    const std::uint64_t order = row[0];
    const Pops machine{row[1], row[2], false};
    const Counted best = counted(machine, order, MatmulAlgorithm::best);
    ASSERT_TRUE(best.verdict.ok()) << row << best.verdict.violations[0].message;
    EXPECT_EQ(best.verdict.cost.slots, row[5].get<std::uint64_t>()) << row;
    EXPECT_EQ(best.verdict.cost.compute_rounds, row[6].get<std::uint64_t>()) << row;
    EXPECT_EQ(best.registers, row[7].get<std::uint64_t>()) << row;
    EXPECT_EQ(matmul_bound(machine, order).value, row[8].get<std::uint64_t>()) << row;
    if (order == 1) continue;
    ++judged;
    const Counted paper = counted(machine, order, MatmulAlgorithm::paper);
    ASSERT_TRUE(paper.verdict.ok()) << row << paper.verdict.violations[0].message;
    EXPECT_EQ(paper.verdict.cost.slots, row[3].get<std::uint64_t>()) << row;
  }
}

TEST(PopsMatmul, every_admissible_machine_counts_as_its_formula) {
  const std::uint64_t most = testing::full_run() ? 14 : testing::sanitized() ? 6 : 12;
  testing::Judged judged(static_cast<int>(2 * most));
  for (std::uint64_t order = 1; order <= most; ++order)
    for (std::uint64_t d = 1; d <= order * order; ++d) {
      if (order * order % d != 0) continue;
      const Pops machine{d, order * order / d, false};
      if (matmul_refusal(machine, order)) continue;
      ++judged;
      for (const auto algorithm : {MatmulAlgorithm::paper, MatmulAlgorithm::best}) {
        const Counted c = counted(machine, order, algorithm);
        ASSERT_TRUE(c.verdict.ok()) << order << " " << d << c.verdict.violations[0].message;
        ASSERT_EQ(c.verdict.cost.slots, matmul_slots(machine, order, algorithm).value)
            << order << " " << d;
        ASSERT_GE(c.verdict.cost.slots, matmul_bound(machine, order).value);
      }
    }
}

// Section 2.3 as printed: B[k,rs+q] takes its first hop unless rs+q = k. Coupler c(K, K) of the
// group of row k is then driven by the A's of that group as well; first in the third slot.
TEST(PopsMatmul, section_2_3_as_printed_is_refused) {
  const std::uint64_t n = 4;
  const std::uint64_t rows = 2;
  const auto replay = make_replay();
  MatmulSlots slots({8, 2, false}, {.order = n, .registers = 6, .c = 5, .planner = "printed"},
                    *replay);
  for (std::uint64_t k = 0; k < n; ++k)
    for (std::uint64_t q = 0; q < rows; ++q) {
      for (std::uint64_t s = 0; s < 2; ++s) {
        const std::uint64_t row = rows * s + q;
        slots.send(row, k, 0, {s});
        for (std::uint64_t j = 0; j < n; ++j)
          if (j != k) slots.hear(row, j, s, 2);
        if (row == k) continue;
        slots.send(k, row, 1, {s});
        slots.hear(row, k, k / rows, 4);
      }
      slots.end();
      for (std::uint64_t s = 0; s < 2; ++s) {
        const std::uint64_t row = rows * s + q;
        slots.send(row, k, row == k ? 1 : 4, {0, 1});
        for (std::uint64_t i = 0; i < n; ++i)
          if (i != k) slots.hear(i, row, s, 3);
      }
      slots.end();
    }
  slots.finish();
  const Verdict verdict = replay->verdict();
  EXPECT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.violations[0].rule, "R1");
  EXPECT_EQ(verdict.violations[0].step, 2U);
}

// {{1, 2}, {3, 4}} times {{5, 6}, {7, 8}}.
TEST(PopsMatmul, multiplies_two_by_two) {
  for (const auto& machine : {Pops{2, 2, false}, Pops{4, 1, false}, Pops{1, 4, false}})
    for (const auto algorithm : {MatmulAlgorithm::paper, MatmulAlgorithm::best})
      EXPECT_EQ(multiplied<std::int32_t>(machine, 2, algorithm, {1, 2, 3, 4}, {5, 6, 7, 8}),
                (std::vector<std::int32_t>{19, 22, 43, 50}));
}

TEST(PopsMatmul, integers_wrap_around_as_the_loop_does) {
  Random random(4);
  const std::uint64_t n = 12;
  std::vector<std::uint8_t> a(n * n);
  std::vector<std::uint8_t> b(n * n);
  for (auto* m : {&a, &b})
    for (auto& x : *m) x = static_cast<std::uint8_t>(random.next());
  std::vector<std::uint8_t> want(n * n, 0);
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      for (std::uint64_t k = 0; k < n; ++k)
        want[i * n + j] = static_cast<std::uint8_t>(want[i * n + j] + a[i * n + k] * b[k * n + j]);
  for (const std::uint64_t d : {3U, 12U, 24U, 48U, 72U, 144U})
    EXPECT_EQ(multiplied<std::uint8_t>({d, 144 / d, false}, n, MatmulAlgorithm::best, a, b), want);
}

// Groups that cut rows, and machines with more processors than places.
TEST(PopsMatmul, any_machine_that_is_large_enough_multiplies) {
  const std::uint64_t most = testing::full_run() ? 10 : testing::sanitized() ? 4 : 6;
  testing::Judged judged(30);
  for (std::uint64_t order = 1; order <= most; ++order)
    for (std::uint64_t d = 1; d <= order * order + 1; ++d)
      for (const std::uint64_t spare : {0U, 1U}) {
        const Pops machine{d, (order * order + d - 1) / d + spare, false};
        if (!matmul_refusal(machine, order)) continue;
        ++judged;
        const Counted c = counted(machine, order, MatmulAlgorithm::direct);
        ASSERT_TRUE(c.verdict.ok()) << order << " " << d << c.verdict.violations[0].message;
        ASSERT_EQ(c.verdict.cost.slots,
                  matmul_slots(machine, order, MatmulAlgorithm::direct).value);
        ASSERT_GE(c.verdict.cost.slots, matmul_bound(machine, order).value) << order << " " << d;
        ASSERT_LE(c.verdict.cost.slots, 2 * std::max(order, d) + 3) << order << " " << d;
      }
}

// What a group lacks, counted apart.
TEST(PopsMatmul, the_bound_counts_what_a_group_lacks) {
  for (std::uint64_t n = 1; n <= 6; ++n)
    for (std::uint64_t d = 1; d <= n * n; ++d) {
      const std::uint64_t g = (n * n + d - 1) / d;
      std::uint64_t most = 0;
      for (std::uint64_t s = 0; s < g; ++s) {
        std::set<std::pair<std::uint64_t, bool>> lacked;
        for (std::uint64_t p = s * d; p < std::min((s + 1) * d, n * n); ++p)
          for (std::uint64_t k = 0; k < n; ++k) {
            if (k != p % n) lacked.insert({p / n * n + k, false});
            if (k != p / n) lacked.insert({k * n + p % n, true});
          }
        most = std::max<std::uint64_t>(most, lacked.size());
      }
      EXPECT_EQ(matmul_bound({d, g, false}, n).value, std::max(2 * (n - 1), (most + g - 1) / g))
          << n << " " << d;
    }
}

TEST(PopsMatmul, refuses_with_the_nearest_machine_that_fits) {
  EXPECT_NE(matmul_refusal({5, 7, false}, 6)->find("pops:6,6"), std::string::npos);
  EXPECT_NE(matmul_refusal({9, 4, false}, 6)->find("pops:"), std::string::npos);
  EXPECT_FALSE(matmul_refusal({12, 3, false}, 6).has_value());
  EXPECT_TRUE(matmul_misfit({5, 7, false}, 6).has_value());
  EXPECT_FALSE(matmul_misfit({9, 4, false}, 6).has_value());
  RecordingSink sink;
  EXPECT_THROW(push_matmul({5, 7, false}, 6, MatmulAlgorithm::best, sink), Error);
}

}  // namespace
}  // namespace faro
