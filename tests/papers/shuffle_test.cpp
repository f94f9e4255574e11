#include "papers/shuffle.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace faro {
namespace {

const PaperPage& page() {
  static const PaperPage page = shuffle_page();
  return page;
}

TEST(PaperShuffle, no_cell_of_ours_was_refused) {
  EXPECT_EQ(page().tables.size(), 14U);
  for (const PaperTable& table : page().tables)
    for (const auto& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size()) << table.title;
      for (const std::string& cell : row)
        EXPECT_EQ(cell.find("refused"), std::string::npos) << table.title << ": " << cell;
    }
}

// Figures 1, 3, 4, 5, 9 and 10 come out as printed, cell by cell.
TEST(PaperShuffle, the_figures_of_contents_and_schedules_are_reproduced) {
  for (const PaperTable& table : page().tables)
    for (const char* figure :
         {"Figure 1:", "Figure 3", "Figure 4", "Figure 5", "Figure 9", "Figure 10"}) {
      if (!table.title.starts_with(figure)) continue;
      for (const auto& row : table.rows)
        if (row[0] != "steps") {
          EXPECT_EQ(row[1], row[2]) << table.title;
        }
    }
}

// K = 18, 24 and 28: schedules of the printed rows and of ours, replayed.
TEST(PaperShuffle, the_tables_of_jobs_are_schedules) {
  const std::vector<std::vector<std::string>> steps = {{"Figure 5", "11", "11", "10"},
                                                       {"Figure 8", "16", "16", "13"},
                                                       {"Figure 9", "16", "16", "15"}};
  std::size_t found = 0;
  for (const PaperTable& table : page().tables)
    for (const auto& wanted : steps) {
      if (!table.title.starts_with(wanted[0])) continue;
      const std::vector<std::string> last(table.rows.back().begin() + 1, table.rows.back().end());
      EXPECT_EQ(last, std::vector<std::string>(wanted.begin() + 1, wanted.end())) << table.title;
      ++found;
    }
  EXPECT_EQ(found, steps.size());
}

// One wrong control bit in Figure 9, as it is printed, and the schedule is refused.
TEST(PaperShuffle, figure_9_as_printed_is_refused) {
  bool refused = false;
  for (const PaperTable& table : page().tables)
    for (const std::string& remark : table.remarks)
      refused = refused || (table.title.starts_with("Figure 9") &&
                            remark.find("With 0,6 the schedule is refused") != std::string::npos);
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace faro
