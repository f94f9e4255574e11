// The pages of the POPS paper: slots as printed, figure 6 refused as printed.
#include <gtest/gtest.h>

#include <algorithm>

#include "faro/service/plan.hpp"
#include "papers/pages.hpp"

namespace faro {
namespace {

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789") == std::string::npos;
}

std::size_t column(const PaperTable& table, std::string_view name) {
  return static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) -
                                  table.columns.begin());
}

TEST(PaperPops, every_cell_of_ours_is_a_verified_number_not_below_the_bound) {
  const PaperPage page = pops_page(catalogue());
  ASSERT_EQ(page.tables.size(), 11U);
  for (const PaperTable& table : page.tables) {
    const std::size_t ours = column(table, "ours");
    const std::size_t bound = column(table, "bound");
    ASSERT_LT(ours, table.columns.size()) << table.title;
    ASSERT_FALSE(table.rows.empty()) << table.title;
    for (const auto& row : table.rows) {
      ASSERT_EQ(row.size(), table.columns.size()) << table.title;
      EXPECT_TRUE(is_number(row[ours])) << table.title << ": " << row[ours];
      if (is_number(row[bound])) {
        EXPECT_GE(std::stoi(row[ours]), std::stoi(row[bound])) << table.title;
      }
    }
  }
}

TEST(PaperPops, figure_7_is_as_printed_and_corrected_algorithms_take_the_printed_slots) {
  const PaperPage page = pops_page(catalogue());
  for (const PaperTable& table : page.tables) {
    const std::size_t printed = column(table, "printed");
    const bool figure_7 = table.title.starts_with("Figure 7");
    for (const char* name : {"ours", "printed algorithm, corrected", "printed algorithm"}) {
      const std::size_t corrected = column(table, name);
      if (corrected == table.columns.size() || (!figure_7 && std::string_view(name) == "ours"))
        continue;
      for (const auto& row : table.rows) {
        EXPECT_EQ(row[corrected], row[printed]) << table.title << " " << row[0] << " " << row[1];
      }
    }
  }
}

TEST(PaperPops, figure_6_as_printed_is_refused) {
  const PaperPage page = pops_page(catalogue());
  const auto figure = std::find_if(page.tables.begin(), page.tables.end(),
                                   [](const auto& t) { return t.title.starts_with("Figure 6"); });
  ASSERT_NE(figure, page.tables.end());
  EXPECT_NE(figure->remarks[0].find("replayed: R"), std::string::npos) << figure->remarks[0];
}

}  // namespace
}  // namespace faro
