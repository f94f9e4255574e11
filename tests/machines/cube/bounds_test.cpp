#include "machines/bounds.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "paths.hpp"

namespace faro {
namespace {

using nlohmann::json;

TEST(CubeBounds, nothing_moves_without_work) {
  const Bound bound =
      lower_bound(Hypercube{.dimensions = 3}, MapGoal{.map = BitMap::identity(3)}, 5);
  EXPECT_TRUE(bound.value == 0);
  EXPECT_EQ(bound.reason, "nothing moves");
}

// The conversion of two bits: half of the elements must wait for the other half, and one step more.
TEST(CubeBounds, two_bits_of_code) {
  EXPECT_TRUE(conversion_bound(2, 1, Hypercube::Ports::all) == 1);
  EXPECT_TRUE(conversion_bound(2, 5, Hypercube::Ports::all) == 4);
  EXPECT_TRUE(conversion_bound(3, 5, Hypercube::Ports::all) == 4);
  EXPECT_TRUE(conversion_bound(60, 100, Hypercube::Ports::all) == 61);
  EXPECT_TRUE(conversion_bound(3, 5, Hypercube::Ports::one) == 7);
}

TEST(CubeBounds, are_those_computed_apart) {
  const json golden =
      json::parse(std::ifstream(testing::source_path("tests/data/conversion.json")));
  const json& rows = golden.at("bounds").at("rows");
  ASSERT_GT(rows.size(), 10U);
  for (const json& row : rows) {
    const json& problem = row.at(0);
    const int n = problem.at("proc_bits").get<int>();
    const auto columns = problem.at("columns").get<std::vector<Word>>();
    MapGoal goal{.map = BitMap::from_columns(columns, problem.at("constant").get<Word>())};
    if (!problem.at("slot_bits").is_null()) {
      goal.cut = true;
      goal.memory_bits = problem.at("slot_bits").get<int>();
    }
    const auto ports = row.at(2) == "all" ? Hypercube::Ports::all : Hypercube::Ports::one;
    const Hypercube cube{.dimensions = n, .ports = ports};
    const auto k = row.at(1).get<std::uint64_t>();
    EXPECT_EQ(to_string(lower_bound(cube, goal, k).value), row.at(4).dump()) << row.dump();
  }
}

TEST(CubeBounds, of_a_list_count_what_crosses) {
  const std::vector<std::uint64_t> inverted{3, 2, 1, 0};
  const Bound bound =
      lower_bound(Hypercube{.dimensions = 2}, std::span<const std::uint64_t>(inverted), 7);
  EXPECT_TRUE(bound.value == 7);
}

}  // namespace
}  // namespace faro
