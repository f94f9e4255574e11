#include "faro/service/paper_shuffle.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace faro {
namespace {

TEST(PaperShuffle, no_cell_of_ours_was_refused) {
  const PaperPage page = shuffle_page();
  EXPECT_EQ(page.tables.size(), 14U);
  for (const PaperTable& table : page.tables)
    for (const auto& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size()) << table.title;
      for (const std::string& cell : row)
        EXPECT_EQ(cell.find("refused"), std::string::npos) << table.title << ": " << cell;
    }
}

// Figures 1, 3, 4, 5 and 10 come out as printed, cell by cell.
TEST(PaperShuffle, the_figures_of_contents_and_schedules_are_reproduced) {
  for (const PaperTable& table : shuffle_page().tables)
    for (const char* figure : {"Figure 1:", "Figure 3", "Figure 4", "Figure 5", "Figure 10"}) {
      if (!table.title.starts_with(figure)) continue;
      for (const auto& row : table.rows)
        if (row[0] != "steps") {
          EXPECT_EQ(row[1], row[2]) << table.title;
        }
    }
}

}  // namespace
}  // namespace faro
