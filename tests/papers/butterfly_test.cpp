#include "papers/butterfly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace faro {
namespace {

std::size_t column(const PaperTable& table, const std::string& name) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  return static_cast<std::size_t>(at - table.columns.begin());
}

const PaperTable& table_titled(const PaperPage& page, std::string_view start) {
  for (const PaperTable& table : page.tables) {
    if (table.title.starts_with(start)) return table;
  }
  throw std::out_of_range(std::string(start));
}

TEST(paper_butterfly, every_cell_of_ours_is_a_verified_plan) {
  const PaperPage page = butterfly_paper.page();
  EXPECT_EQ(page.tables.size(), 28U);
  for (const PaperTable& table : page.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    const std::size_t ours = column(table, "ours");
    for (const auto& row : table.rows) {
      ASSERT_EQ(row.size(), table.columns.size()) << table.title;
      EXPECT_TRUE(ours >= row.size() || row[ours] != "refused") << table.title;
    }
  }
}

TEST(paper_butterfly, what_is_printed_right_equals_ours) {
  const PaperPage page = butterfly_paper.page();
  for (const char* title :
       {"Figure 1", "Figure 2", "Figure 3", "Figures 4 and 6", "Figures 15 and 16", "Figure 17",
        "Table 2", "Table 3", "Theorem 4: cyclic gray, local", "Theorem 4: cyclic gray, inter",
        "Theorem 5"}) {
    const PaperTable& table = table_titled(page, title);
    for (const auto& row : table.rows) {
      EXPECT_EQ(row[column(table, "printed")], row[column(table, "ours")]) << table.title;
    }
  }
}

// Twice the algorithm of Theorem 1 for many elements, and never above the printed count here.
TEST(paper_butterfly, the_remark_to_theorem_1_is_reached) {
  const PaperPage page = butterfly_paper.page();
  for (const auto& row : table_titled(page, "Remark").rows) {
    EXPECT_LE(std::stoi(row[3]), std::stoi(row[2])) << row[0] << " " << row[1];
    EXPECT_GE(std::stoi(row[3]), std::stoi(row[5])) << row[0] << " " << row[1];
    if (row[0] != "2") {
      EXPECT_GE(std::stoi(row[3]), std::stoi(row[1]));
    }
  }
}

TEST(paper_butterfly, one_memory_bit_takes_a_step_more_than_theorem_5) {
  const PaperPage page = butterfly_paper.page();
  for (const auto& row : table_titled(page, "Theorem 5").rows) {
    EXPECT_EQ(row[2], row[3]) << row[0] << " " << row[1];
  }
}

// Memory bits in turn leave the n most significant bits in the processors: sectioning over all of
// memory, and whoever began with all memory bits. Its start-ups with packets of K/2 are n.
TEST(paper_butterfly, sectioning_ends_consecutive_and_starts_up_as_printed) {
  const PaperPage page = butterfly_paper.page();
  for (const auto& row : table_titled(page, "Section 3.1.2").rows) {
    if (row[3] == "butterfly-sectioning" || row[3] == "butterfly-consecutive" || row[2] == "2") {
      EXPECT_EQ(row[4], row[5]) << row[3];
    }
  }
  for (const auto& row : table_titled(page, "Section 6: start-ups").rows) {
    if (row[3] != "-") {
      EXPECT_LE(std::stoi(row[3]), std::stoi(row[4]));
      if (std::stoi(row[0]) % std::stoi(row[1]) == 0 && row[1] != "1") {
        EXPECT_EQ(row[3], row[4]) << row[0] << " " << row[1];
      }
    }
    if (row[2] == "32") {
      EXPECT_EQ(row[5], row[0]);
    }
  }
}

// Corollary 1's inverse holds for the 32 integers below half as it is printed, corrected for all.
TEST(paper_butterfly, one_identity_of_the_code_is_printed_wrong) {
  const PaperPage page = butterfly_paper.page();
  for (const auto& row : table_titled(page, "Corollaries").rows) {
    EXPECT_EQ(row[2], row[0] == "Corollary 1, inverse" ? "32" : "64") << row[0];
    EXPECT_EQ(row[3], "64") << row[0];
  }
}

// Each loop ends with integer G(i), or i, where the code wants it.
TEST(paper_butterfly, the_conversion_loops_end_in_the_other_code) {
  const PaperPage page = butterfly_paper.page();
  const std::string decoded = "0 1 3 2 6 7 5 4 12 13 15 14 10 11 9 8";
  const PaperTable& loops = table_titled(page, "The other three");
  ASSERT_EQ(loops.rows.size(), 9U);
  EXPECT_EQ(loops.rows[2][2], decoded);
  for (const std::size_t last : {5U, 8U})
    EXPECT_EQ(loops.rows[last][2], "0 1 3 2 7 6 4 5 15 14 12 13 8 9 11 10");
  EXPECT_NE(loops.rows[0][2], loops.rows[1][2]);
}

// Table 4 over a grid: the local conversions are as printed, or one more; none is below the bound.
TEST(paper_butterfly, table_4_is_planned_over_a_grid) {
  const PaperPage page = butterfly_paper.page();
  const PaperTable& table = table_titled(page, "Table 4");
  EXPECT_EQ(table.rows.size(), 48U);
  for (const auto& row : table.rows) {
    ASSERT_NE(row[6], "-") << row[0] << " n " << row[1] << " K " << row[2];
    EXPECT_GE(std::stoi(row[6]), std::stoi(row[7]));
    if (row[3] == "local") {
      EXPECT_LE(std::stoi(row[6]), std::stoi(row[5]) + 1) << row[0] << " " << row[1];
    }
    if (row[0].starts_with("cyclic")) {
      EXPECT_EQ(row[5], row[6]) << row[0] << " " << row[1];
    }
  }
}

// K + n - 1 on binary code; about twice that on Gray code, directly or after a conversion; half of
// it by the paper's algorithm.
TEST(paper_butterfly, the_introduction_s_baselines_are_planned) {
  const PaperPage page = butterfly_paper.page();
  for (const auto& row : table_titled(page, "Introduction").rows) {
    const int n = std::stoi(row[0]);
    const int k = std::stoi(row[1]);
    EXPECT_EQ(row[2], row[3]) << n << " " << k;
    EXPECT_LE(std::stoi(row[5]), std::stoi(row[4])) << n << " " << k;
    EXPECT_EQ(std::stoi(row[7]), 2 * k + 2 * n - 3);
    EXPECT_EQ(std::stoi(row[8]), k / 2 + n - 1);
  }
}

TEST(paper_butterfly, figures_8_to_10_are_printed_right) {
  const PaperPage page = butterfly_paper.page();
  for (const auto& row : table_titled(page, "Figures 8 to 10").rows) {
    EXPECT_EQ(row[2], row[3]);
    EXPECT_EQ(row[4], row[5]);
  }
}

TEST(paper_butterfly, figure_7_is_printed_right_in_two_rows) {
  const PaperPage page = butterfly_paper.page();
  const PaperTable& table = table_titled(page, "Figures 5 and 7");
  int different = 0;
  for (const auto& row : table.rows) {
    if (row[2] == row[3]) continue;
    ++different;
    EXPECT_TRUE(row[0] == "10" || row[0] == "11");
    EXPECT_TRUE(row[1] == "11" || row[1] == "10");
  }
  EXPECT_EQ(different, 4);
  EXPECT_EQ(table.rows.back()[3], "2 steps");
}

TEST(paper_butterfly, theorem_1_is_one_less_than_the_construction_gives) {
  const PaperPage page = butterfly_paper.page();
  const PaperTable& table = table_titled(page, "Theorem 1");
  for (const auto& row : table.rows) EXPECT_EQ(std::stoi(row[2]) + 1, std::stoi(row[3]));
}

}  // namespace
}  // namespace faro
