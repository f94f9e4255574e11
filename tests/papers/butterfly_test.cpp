// The pages of the butterfly paper: every number is one of a verified schedule or as printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "papers/pages.hpp"

namespace faro {
namespace {

const PaperPage& page() {
  static const PaperPage made = butterfly_paper.page({});
  return made;
}

std::size_t column(const PaperTable& table, const std::string& name) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  return static_cast<std::size_t>(at - table.columns.begin());
}

const PaperTable& table_titled(std::string_view start) {
  for (const PaperTable& table : page().tables) {
    if (table.title.starts_with(start)) return table;
  }
  throw std::out_of_range(std::string(start));
}

TEST(paper_butterfly, every_cell_of_ours_is_a_verified_plan) {
  EXPECT_EQ(page().tables.size(), 29U);
  for (const PaperTable& table : page().tables) {
    EXPECT_FALSE(table.rows.empty()) << table.title;
    for (const auto& row : table.rows) {
      ASSERT_EQ(row.size(), table.columns.size()) << table.title;
      for (const std::string& cell : row)
        for (const char* wrong : {"refused", "promised", "failed", "not verified"})
          EXPECT_FALSE(cell.starts_with(wrong)) << table.title << ": " << cell;
    }
  }
}

// Ours is the cheapest plan: never more than the planner whose column stands before it, never below
// the bound, and the gap is its own. Where the pinned planner takes more, ours often takes less.
TEST(paper_butterfly, ours_is_between_the_bound_and_the_paper_s_algorithm) {
  std::size_t tables = 0;
  std::size_t rows = 0;
  std::size_t less = 0;
  for (const PaperTable& table : page().tables) {
    const std::size_t bound = column(table, "bound");
    const std::size_t ours = column(table, "ours");
    if (bound == table.columns.size() || ours == table.columns.size()) continue;
    ++tables;
    for (const auto& row : table.rows) {
      ++rows;
      EXPECT_GE(std::stoi(row[ours]), std::stoi(row[bound])) << table.title;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (!table.columns[i].starts_with("butterfly-") && table.columns[i] != "its algorithm")
          continue;
        if (row[i] == "-") continue;
        EXPECT_LE(std::stoi(row[ours]), std::stoi(row[i])) << table.title << " " << row[0];
        less += row[ours] != row[i] ? 1 : 0;
      }
      if (table.columns.back() == "gap") {
        EXPECT_EQ(std::stoi(row.back()), std::stoi(row[ours]) - std::stoi(row[bound]));
      }
    }
  }
  EXPECT_EQ(tables, 11U);
  EXPECT_GT(rows, 250U);
  EXPECT_GT(less, 100U);
}

// Cells that pinned planners once made dearer.
TEST(paper_butterfly, ours_is_what_the_program_finds) {
  const auto cell = [](const char* title, const char* n, const char* k) {
    const PaperTable& table = table_titled(title);
    for (const auto& row : table.rows)
      if (row[0] == n && row[1] == k) return row[column(table, "ours")];
    return std::string("no row");
  };
  EXPECT_EQ(cell("Introduction", "6", "64"), "32");
  EXPECT_EQ(cell("Remark", "2", "4"), "2");
  EXPECT_EQ(cell("Theorem 1", "5", "16"), "10");
  EXPECT_EQ(cell("Theorem 1", "6", "32"), "20");
}

TEST(paper_butterfly, what_is_printed_right_equals_ours) {
  for (const char* title : {"Figure 1:", "Figure 2", "Figure 3", "Figures 4 and 6", "Figure 11",
                            "Figures 15 and 16", "Figure 17", "Table 2", "Table 3"}) {
    const PaperTable& table = table_titled(title);
    for (const auto& row : table.rows) {
      EXPECT_EQ(row[column(table, "printed")], row[column(table, "ours")]) << table.title;
    }
  }
  for (const auto& [title, planner] :
       {std::pair{"Theorem 4: cyclic gray, local", "butterfly-local"},
        std::pair{"Theorem 4: cyclic gray, inter", "butterfly-inter"},
        std::pair{"Theorem 5", "butterfly-replication"}, std::pair{"Theorem 5", "ours"}}) {
    const PaperTable& table = table_titled(title);
    for (const auto& row : table.rows)
      EXPECT_EQ(row[column(table, "printed")], row[column(table, planner)]) << table.title;
  }
}

// Three states of 16 indices each; 4 moves, then one over every directed link; half of stage n-2
// has met after the first and stage n-3 begins with the other half.
TEST(paper_butterfly, figure_11_is_a_schedule) {
  const PaperTable& table = table_titled("Figure 11");
  ASSERT_EQ(table.rows.size(), 16U);
  for (std::size_t t = 0; t < 3; ++t) {
    std::set<std::string> indices;
    for (std::size_t s = 0; s < 4; ++s) {
      std::istringstream words(table.rows[4 * t + s][3]);
      indices.insert(std::istream_iterator<std::string>(words), {});
    }
    EXPECT_EQ(indices.size(), 16U) << t;
  }
  EXPECT_EQ(table.rows[13][3], "0, 4, 8");
  EXPECT_EQ(table.rows[14][3], "0, 0, 4");
  EXPECT_EQ(table.rows[15][3], "2 steps, 12 moves");
}

// Twice the algorithm of Theorem 1 for many elements, and never above the printed count here.
TEST(paper_butterfly, the_remark_to_theorem_1_is_reached) {
  for (const auto& row : table_titled("Remark").rows) {
    EXPECT_LE(std::stoi(row[3]), std::stoi(row[2])) << row[0] << " " << row[1];
    EXPECT_GE(std::stoi(row[3]), std::stoi(row[6])) << row[0] << " " << row[1];
    if (row[0] != "2") {
      EXPECT_GE(std::stoi(row[3]), std::stoi(row[1]));
    }
  }
}

TEST(paper_butterfly, one_memory_bit_takes_a_step_more_than_theorem_5) {
  for (const auto& row : table_titled("Theorem 5").rows) {
    EXPECT_EQ(row[2], row[3]) << row[0] << " " << row[1];
  }
}

// Memory bits in turn leave the n most significant bits in the processors: sectioning over all of
// memory, and whoever began with all memory bits. Its start-ups with packets of K/2 are n.
TEST(paper_butterfly, sectioning_ends_consecutive_and_starts_up_as_printed) {
  for (const auto& row : table_titled("Section 3.1.2").rows) {
    if (row[3] == "butterfly-sectioning" || row[3] == "butterfly-consecutive" || row[2] == "2") {
      EXPECT_EQ(row[4], row[5]) << row[3];
    }
  }
  for (const auto& row : table_titled("Section 6: start-ups").rows) {
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
  for (const auto& row : table_titled("Corollaries").rows) {
    EXPECT_EQ(row[2], row[0] == "Corollary 1, inverse" ? "32" : "64") << row[0];
    EXPECT_EQ(row[3], "64") << row[0];
  }
}

// Each loop ends with integer G(i), or i, where the code wants it.
TEST(paper_butterfly, the_conversion_loops_end_in_the_other_code) {
  const std::string decoded = "0 1 3 2 6 7 5 4 12 13 15 14 10 11 9 8";
  const PaperTable& loops = table_titled("The other three");
  ASSERT_EQ(loops.rows.size(), 9U);
  EXPECT_EQ(loops.rows[2][2], decoded);
  for (const std::size_t last : {5U, 8U})
    EXPECT_EQ(loops.rows[last][2], "0 1 3 2 7 6 4 5 15 14 12 13 8 9 11 10");
  EXPECT_NE(loops.rows[0][2], loops.rows[1][2]);
}

// Table 4 over a grid: the local conversions are as printed, or one more; none is below the bound.
TEST(paper_butterfly, table_4_is_planned_over_a_grid) {
  const PaperTable& table = table_titled("Table 4");
  EXPECT_EQ(table.rows.size(), 48U);
  for (const auto& row : table.rows) {
    ASSERT_NE(row[6], "-") << row[0] << " n " << row[1] << " K " << row[2];
    EXPECT_GE(std::stoi(row[6]), std::stoi(row[8]));
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
  for (const auto& row : table_titled("Introduction").rows) {
    const int n = std::stoi(row[0]);
    const int k = std::stoi(row[1]);
    EXPECT_EQ(row[2], row[3]) << n << " " << k;
    EXPECT_LE(std::stoi(row[5]), std::stoi(row[4])) << n << " " << k;
    EXPECT_EQ(std::stoi(row[7]), 2 * k + 2 * n - 3);
    EXPECT_EQ(std::stoi(row[8]), k / 2 + n - 1);
  }
}

TEST(paper_butterfly, figures_8_to_10_are_printed_right) {
  for (const auto& row : table_titled("Figures 8 to 10").rows) {
    EXPECT_EQ(row[2], row[3]);
    EXPECT_EQ(row[4], row[5]);
  }
}

TEST(paper_butterfly, figure_7_is_printed_right_in_two_rows) {
  const PaperTable& table = table_titled("Figures 5 and 7");
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
  const PaperTable& table = table_titled("Theorem 1");
  const std::size_t local = column(table, "butterfly-local");
  for (const auto& row : table.rows) EXPECT_EQ(std::stoi(row[2]) + 1, std::stoi(row[local]));
}

}  // namespace
}  // namespace faro
