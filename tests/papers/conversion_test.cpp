// The pages of the conversion paper: figures, ratios and tables against verified schedules.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "faro/service/plan.hpp"
#include "papers/pages.hpp"
#include "planners/cube/codes/minimum_path.hpp"

namespace faro {
namespace {

const PaperPage& page() {
  static const PaperPage page = conversion_page(catalogue());
  return page;
}

const PaperTable& table_of(const PaperPage& page, std::string_view start) {
  const auto table = std::find_if(page.tables.begin(), page.tables.end(),
                                  [&](const PaperTable& t) { return t.title.starts_with(start); });
  EXPECT_NE(table, page.tables.end()) << start;
  return *table;
}

std::size_t column(const PaperTable& table, std::string_view name) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), name);
  EXPECT_NE(place, table.columns.end()) << name;
  return static_cast<std::size_t>(place - table.columns.begin());
}

TEST(PaperConversion, figures_are_what_our_schedules_do) {
  for (const char* title : {"Figures 1 and 5", "Figure 2", "Figure 3"}) {
    const PaperTable& table = table_of(page(), title);
    ASSERT_FALSE(table.rows.empty());
    for (const auto& row : table.rows)
      EXPECT_EQ(row[column(table, "printed")], row[column(table, "ours")]);
  }
}

TEST(PaperConversion, every_cell_of_ours_is_a_verified_number) {
  for (const PaperTable& table : page().tables)
    for (const auto& row : table.rows) {
      ASSERT_EQ(row.size(), table.columns.size());
      for (const std::string& cell : row)
        for (const char* bad : {"refused", "failed", "promised", "not verified", "no such"})
          EXPECT_EQ(cell.find(bad), std::string::npos) << table.title << ": " << cell;
    }
}

// The printed count tends to the printed 0.6 for n-1 packets, the algorithm with its best M to 2/3;
// both to 1.5 for many packets.
TEST(PaperConversion, the_ratios_of_section_6_converge) {
  const PaperTable& table = table_of(page(), "Section 6: ratios");
  const std::size_t printed = column(table, "shortest / printed");
  const std::size_t ours = column(table, "shortest / longer");
  const auto& few = table.rows[4];
  const auto& many = table.rows.back();
  EXPECT_EQ(few[0], "60");
  EXPECT_NEAR(std::stod(few[printed]), 0.6, 0.005);
  EXPECT_NEAR(std::stod(few[ours]), 2.0 / 3, 0.005);
  EXPECT_NEAR(std::stod(many[printed]), 1.5, 0.02);
  EXPECT_NEAR(std::stod(many[ours]), 1.5, 0.02);
  EXPECT_NEAR(std::stod(many[column(table, "pipelined / longer")]), 1.5, 0.02);
}

// Section 5.2: several fields take almost what the longest takes alone.
TEST(PaperConversion, several_fields_take_little_more_than_one) {
  const PaperTable& table = table_of(page(), "Theorems 4 and 5");
  for (const auto& row : table.rows) {
    const int all = std::stoi(row[column(table, "ours")]);
    const int one = std::stoi(row[column(table, "one field of them")]);
    EXPECT_GE(all, one) << row[0] << " K = " << row[1];
    EXPECT_LE(all, one + 4) << row[0] << " K = " << row[1];
  }
}

// The drawn paths, the even use of folded links, and ports between one and all.
TEST(PaperConversion, paths_folding_and_channels_are_as_printed) {
  const PaperTable& paths = table_of(page(), "Figure 4: routing paths");
  ASSERT_EQ(paths.rows.size(), 12U);
  for (const auto& row : paths.rows) {
    EXPECT_EQ(row[3], row[4]) << row[0] << ": " << row[2];
    EXPECT_TRUE(row[2] == "2 3" || row[2] == "3 2" || row[2] == "2 0 1 3" || row[2] == "3 1 0 2")
        << row[2];
  }
  for (const auto& row : table_of(page(), "Theorem 7").rows) EXPECT_EQ(row[1], row[2]) << row[0];
  const PaperTable& channels = table_of(page(), "Section 1");
  for (std::size_t i = 0; i < channels.rows.size(); ++i) {
    const auto& row = channels.rows[i];
    EXPECT_GE(std::stoi(row[3]), std::stoi(row[4])) << row[0] << " " << row[2];
    if (row[2] != "1") {
      EXPECT_LE(std::stoi(row[3]), std::stoi(channels.rows[i - 1][3])) << row[0] << " " << row[2];
    }
  }
}

TEST(PaperConversion, names_the_smallest_counterexamples) {
  const PaperTable& table = table_of(page(), "Theorem 8");
  ASSERT_GE(table.remarks.size(), 2U);
  EXPECT_NE(table.remarks[0].find("n = 2, K = 3: 2 printed"), std::string::npos);
}

// A planner that forgets the first rule of the first step.
class Forgetful : public ScheduleSink {
 public:
  explicit Forgetful(ScheduleSink& next) : next_(next) {}
  void begin(const ScheduleHeader& header) override { next_.begin(header); }
  void step(const CubeStep& step) override {
    CubeStep less = step;
    if (!forgotten_ && !less.rules.empty()) less.rules.erase(less.rules.begin());
    forgotten_ = true;
    next_.step(less);
  }
  void finish() override { next_.finish(); }

 private:
  ScheduleSink& next_;
  bool forgotten_ = false;
};

// minimum-path, but its schedule lacks a rule.
class Broken : public Planner {
 public:
  const About& about() const override { return minimum_path.about(); }
  std::optional<std::string> refusal(const Request& request) const override {
    return minimum_path.refusal(request);
  }
  Offer offer(const Request& request) const override {
    Offer offer = minimum_path.offer(request);
    offer.push = [push = offer.push](ScheduleSink& sink) {
      Forgetful forgetful(sink);
      push(forgetful);
    };
    return offer;
  }
};

TEST(PaperConversion, a_broken_planner_shows_on_the_page) {
  const Broken broken;
  std::vector<const Planner*> planners(catalogue().begin(), catalogue().end());
  std::replace(planners.begin(), planners.end(), static_cast<const Planner*>(&minimum_path),
               static_cast<const Planner*>(&broken));
  const PaperPage page = conversion_page(planners);
  const PaperTable& table = table_of(page, "Theorems 2 and 6");
  // It never keeps the goal, and mostly not the cost that it promised.
  for (const auto& row : table.rows) {
    const std::string& ours = row[column(table, "ours")];
    EXPECT_TRUE(ours.starts_with("refused") || ours.starts_with("failed")) << ours;
  }
  const PaperTable& figure = table_of(page, "Figure 3");
  EXPECT_TRUE(std::any_of(figure.rows.begin(), figure.rows.end(), [&](const auto& row) {
    return row[column(figure, "printed")] != row[column(figure, "ours")];
  }));
}

}  // namespace
}  // namespace faro
