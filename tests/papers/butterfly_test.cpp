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
  EXPECT_EQ(page.tables.size(), 22U);
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
        "Table 2", "Theorem 4: cyclic gray, local", "Theorem 4: cyclic gray, inter", "Theorem 5"}) {
    const PaperTable& table = table_titled(page, title);
    for (const auto& row : table.rows) {
      EXPECT_EQ(row[column(table, "printed")], row[column(table, "ours")]) << table.title;
    }
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
