// The pages of the shuffle paper: tables of jobs are schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "faro/service/plan.hpp"
#include "papers/pages.hpp"
#include "papers/shuffle_rows.hpp"

namespace faro {
namespace {

const PaperPage& page() {
  static const PaperPage page = shuffle_paper.page({});
  return page;
}

const PaperTable& table_of(std::string_view start) {
  return *std::find_if(page().tables.begin(), page().tables.end(),
                       [&](const PaperTable& t) { return t.title.starts_with(start); });
}

TEST(PaperShuffle, no_cell_of_ours_was_refused) {
  EXPECT_EQ(page().tables.size(), 23U);
  for (const PaperTable& table : page().tables)
    for (const auto& row : table.rows) {
      EXPECT_EQ(row.size(), table.columns.size()) << table.title;
      for (const std::string& cell : row)
        EXPECT_EQ(cell.find("refused"), std::string::npos) << table.title << ": " << cell;
    }
}

// A mixed shuffle with one port: s K/2 by a fixed dimension; by adjacent pairs all but two
// exchanges use two dimensions.
TEST(PaperShuffle, adjacent_pairs_use_dimensions_twice) {
  const auto& tables = page().tables;
  const auto table = std::find_if(tables.begin(), tables.end(), [](const PaperTable& t) {
    return t.title.starts_with("Section 4: three");
  });
  ASSERT_NE(table, tables.end());
  for (const auto& row : table->rows) {
    EXPECT_GT(std::stoi(row[3]), std::stoi(row[6])) << row[0];
    EXPECT_GE(std::stoi(row[6]), std::stoi(row[7])) << row[0];
    if (row[0].starts_with("mixed") && row[2] == "one") {
      EXPECT_EQ(std::stoi(row[4]), 8 * (row[0][7] - '0')) << row[0];
    }
  }
}

// On a real shuffle too: s - 1 exchanges of two processor bits, K/2 + 1 steps each, K + 1 with one
// port, as many as by adjacent pairs.
TEST(PaperShuffle, a_fixed_dimension_takes_s_1_exchanges) {
  std::size_t real = 0;
  for (const auto& row : table_of("Section 4: three").rows) {
    if (!row[0].starts_with("real")) continue;
    ++real;
    const int exchanges = row[0][6] - '0' - 1;
    EXPECT_EQ(std::stoi(row[4]), exchanges * (row[2] == "one" ? 17 : 9)) << row[0];
    EXPECT_EQ(row[4], row[3]) << row[0];
  }
  EXPECT_EQ(real, 4U);
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

// Every time of Table 1 is that of a schedule of packets, no plan undercuts the bound, and the ring
// is faster than each printed algorithm with all ports.
TEST(PaperShuffle, table_1_is_planned) {
  const PaperTable& table = table_of("Table 1");
  EXPECT_EQ(table.rows.size(), 18U);
  for (const auto& row : table.rows) {
    EXPECT_EQ(row[3], row[4]) << row[0] << " B = " << row[1];
    EXPECT_GE(std::stod(row[5]), std::stod(row[6]));
    EXPECT_EQ(row[7] == "-", row[2] == "0") << "no best packet without start-ups";
    if (row[0] == "concurrent" && row[2] != "0") {
      EXPECT_EQ(row[7], "19.0") << "printed: K/2(s + 1), rounded up";
    }
    if (row[0] == "one port")
      EXPECT_EQ(row[5], row[3]);
    else
      EXPECT_LT(std::stod(row[5]), std::stod(row[3])) << row[0] << " B = " << row[1];
  }
}

// As printed, where the algorithm is the paper's; ours with all ports is faster than each of them.
TEST(PaperShuffle, table_2_with_packets_is_planned) {
  for (const auto& row : table_of("Table 2 with packets").rows) {
    EXPECT_EQ(row[3], row[4]) << row[0] << " B = " << row[1];
    EXPECT_GE(std::stod(row[5]), std::stod(row[6]));
    EXPECT_LE(std::stod(row[5]), std::stod(row[3])) << row[0];
  }
  // K/2 + 1 exchanges, if that is as far as an element has to go: two links a cycle.
  for (const auto& row : table_of("Section 5").rows)
    EXPECT_EQ(std::stoi(row[4]), std::max(std::stoi(row[3]), 2 * std::stoi(row[0]))) << row[0];
  for (const auto& row : table_of("Section 6").rows)
    EXPECT_LT(std::stoi(row[4]), std::stoi(row[2]) + (row[0] == "2" ? 1 : 0)) << row[0];
}

// Times, start-ups and best packets as printed; A2 at packets of one element, as it sends them.
TEST(PaperShuffle, table_3_with_packets_is_planned) {
  const PaperTable& table = table_of("Prices of Table 3");
  ASSERT_EQ(table.rows.size(), 20U);
  for (const auto& row : table.rows) {
    EXPECT_LE(std::stoi(row[4]), std::stoi(row[3])) << row[0] << " " << row[1] << " " << row[2];
    EXPECT_LE(std::stoi(row[5]), std::stoi(row[4])) << row[0];
    EXPECT_GE(std::stoi(row[5]), std::stoi(row[6])) << row[0];
    EXPECT_LE(std::stoi(row[8]), std::stoi(row[7])) << row[0];
  }
}

// Each channel more helps or changes nothing.
TEST(PaperShuffle, several_channels_are_planned) {
  const PaperTable& table = table_of("Introduction");
  ASSERT_EQ(table.rows.size(), 15U);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    EXPECT_GE(std::stoi(row[4]), std::stoi(row[5])) << row[0] << " " << row[1] << " " << row[3];
    if (row[3] == "1") continue;
    EXPECT_LE(std::stoi(row[4]), std::stoi(table.rows[i - 1][4])) << row[1] << " " << row[3];
  }
}

TEST(PaperShuffle, figure_11_crosses_where_section_4_2_says) {
  const PaperTable& table = table_of("Figure 11");
  ASSERT_EQ(table.rows.size(), 9U);
  for (const auto& row : table.rows) EXPECT_EQ(row[2], row[5]) << row[0] << " " << row[1];
}

// Section 4.1.2 has three cases: for long chains and many elements 2b over K/2, not N - b.
TEST(PaperShuffle, all_to_all_is_quoted_in_its_three_cases) {
  std::size_t found = 0;
  for (const auto& row : table_of("Theorem 2").rows)
    for (const auto& wanted : {std::array<std::string, 3>{"5 5", "64", "36"},
                               {"6 6", "32", "20"},
                               {"6 6", "64", "36"},
                               {"2 2", "64", "34"}})
      if (row[0] == wanted[0] && row[1] == wanted[1]) {
        EXPECT_EQ(row[5], wanted[2]) << row[0] << " K = " << row[1];
        ++found;
      }
  EXPECT_EQ(found, 4U);
}

// A1 takes K slots and A2 no more than the 2K that the paper gives it; what beats Corollary 1 is in
// another class than A1.
TEST(PaperShuffle, table_3_has_memory_and_corollary_1) {
  for (const auto& row : table_of("Table 3").rows) {
    const int elements = std::stoi(row[1]);
    EXPECT_EQ(std::stoi(row[5]), elements) << row[0];
    EXPECT_EQ(row[3], row[4]) << row[0] << " K = " << row[1];
    if (row[2] != "all") continue;
    EXPECT_GT(std::stoi(row[8]), elements) << row[0];
    EXPECT_GE(std::stoi(row[4]), std::stoi(row[9])) << row[0] << " K = " << row[1];
  }
}

// Lemma 3: alignment on one mask for all chains, so that partners always use equal slots. Jobs that
// start inside a chain by a spare bit realign in their last exchange instead.
TEST(PaperShuffle, partners_use_equal_slots) {
  for (const std::vector<int>& chains :
       {std::vector<int>{3}, {6}, {2, 2}, {3, 2, 1}, {5, 5}, {4, 1, 1, 1}})
    for (const char* name : {"shuffle-pipelined", "shuffle-by-exchange"}) {
      const Request request = shuffle_of(5, chains, {});
      const auto planner = std::find_if(catalogue().begin(), catalogue().end(),
                                        [&](const Planner* p) { return p->name() == name; });
      ASSERT_NE(planner, catalogue().end());
      if ((*planner)->refusal(request)) continue;
      RecordingSink recorded;
      (*planner)->offer(request).push(recorded);
      std::size_t remote = 0;
      for (const CubeStep& step : recorded.cube_steps)
        for (const Rule& rule : step.rules)
          if (rule.across != inside) {
            ++remote;
            ASSERT_EQ(rule.from, rule.to) << name;
          }
      EXPECT_GT(remote, 0U) << name;
    }
}

// Lemma 1: processor dimensions that the permutation leaves alone do not help.
TEST(PaperShuffle, idle_dimensions_change_nothing) {
  for (const auto& [map, larger] :
       {std::pair{"a:3 | m:4 -> a[1:0] m[3] | m[2:0] a[2]",
                  "b:2 a:3 | m:4 -> b a[1:0] m[3] | m[2:0] a[2]"},
        std::pair{"a:3 | m:3 -> a[1:0] a[2] | m", "b:2 a:3 | m:3 -> b a[1:0] a[2] | m"}}) {
    const MachinePlan alone = plan(map, "cube:3");
    const MachinePlan among = plan(larger, "cube:5");
    EXPECT_EQ(alone.bound().value, among.bound().value) << map;
    EXPECT_EQ(alone.value(), among.value()) << map;
  }
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
