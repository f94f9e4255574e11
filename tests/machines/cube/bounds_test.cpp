// Bounds of cubes: worked examples, and values that were computed apart.
#include "machines/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/random.hpp"
#include "faro/machines/verifier.hpp"
#include "judged.hpp"
#include "machines/certificates/check.hpp"
#include "maps.hpp"
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
  std::size_t more = 0;
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
    const Count bound = lower_bound(cube, goal, k).value;
    const Count apart = row.at(4).get<std::uint64_t>();
    EXPECT_GE(bound, apart) << row.dump();
    EXPECT_LE(bound, apart + 1) << row.dump();  // all elements leave in time, which it does not ask
    more += bound > apart;
  }
  EXPECT_LT(more * 8, rows.size());
}

// Of any machine: no memory bits are one element a processor, also where parts are counted.
TEST(CubeBounds, a_map_with_no_memory_bits_moves_one_element) {
  Random random(31);
  int several = 0;
  for (int round = 0; round < 40; ++round) {
    const int n = 1 + static_cast<int>(random.below(5));
    const BitMap map = round % 2 == 0 ? BitMap::from_places(testing::random_places(n, random))
                                      : testing::random_affine(n, random);
    const std::string cube = "cube:" + std::to_string(n);
    const std::string sides = "2^" + std::to_string((n + 1) / 2) + "x2^" + std::to_string(n / 2);
    for (const std::string& on :
         {cube, cube + ",one-port", cube + (n > 2 ? ",2-ports" : ""), "mesh:" + sides,
          "torus:" + sides, "ranks:2^" + std::to_string(n)}) {
      const Machine machine = machine_from(on);
      const Bound plain = lower_bound(machine, {.map = map}, 1);
      const Bound named = lower_bound(machine, {.map = map, .cut = true}, 1);
      EXPECT_EQ(named.value, plain.value) << on << ": " << named.reason << ", " << plain.reason;
      several += plain.value > 1;
    }
  }
  EXPECT_GT(several, 60);
}

// K elements at distance D leave over D links; with none to spare all have left after a step.
TEST(CubeBounds, what_goes_far_leaves_in_time) {
  const auto bound = [](int n, std::uint64_t k) {
    std::vector<Word> columns;
    for (int b = 0; b < n; ++b) columns.push_back(bit_range(0, b));
    return lower_bound(Hypercube{.dimensions = n}, MapGoal{.map = BitMap::from_columns(columns)},
                       k);
  };
  EXPECT_EQ(bound(60, 59).value, Count{59});
  EXPECT_EQ(bound(60, 60).value, Count{60});
  EXPECT_EQ(bound(9, 9).value, Count{9});
  EXPECT_TRUE(std::holds_alternative<certificate::Port>(bound(60, 60).certificate));
}

// Half of a dimension's links have nothing to carry in the first step, and half in the last.
TEST(CubeBounds, the_first_and_the_last_step_are_of_less_use) {
  const Hypercube cube{.dimensions = 2};
  const MapGoal of_processors{.map = BitMap::from_columns(std::vector<Word>{3, 2})};
  EXPECT_EQ(lower_bound(cube, of_processors, 64).value, Count{33});
  EXPECT_EQ(lower_bound(cube, of_processors, 3).value, Count{3});
  EXPECT_EQ(lower_bound(cube, of_processors, 1).value, Count{1});
  // p | m -> p[0] p[1] ^ m | m: what crosses dimension 0 is told by memory at both ends.
  MapGoal fed{.map = BitMap::from_columns(std::vector<Word>{3, 2})};
  fed.cut = true;
  fed.memory_bits = 1;
  EXPECT_EQ(lower_bound(Hypercube{.dimensions = 1}, fed, 2).value, Count{1});
}

// p_0 gets a memory bit, p_j gets p_0 ^ p_j for all others: what crosses the n - 1 others reaches
// half of their links over dimension 0 alone, so that n(n - 1)/2 of them stand still at first.
TEST(ArrivalsBound, stars_wait_at_first) {
  using namespace certificate;
  testing::Judged judged(40);
  for (const int n : {4, 6, 13, 20, 40, 56})
    for (int m = 1; m <= 8; ++m) {
      std::vector<Word> rows;
      for (int i = 0; i < m; ++i) rows.push_back(i == 0 ? bit(m) : bit(i));
      rows.push_back(bit(0));
      for (int j = 1; j < n; ++j) rows.push_back(bit(m + j) | bit(m));
      const MapGoal star{.map = BitMap::from_matrix(BitMatrix::from_rows(n + m, rows)),
                         .cut = true,
                         .memory_bits = m};
      const Word others = low_mask(n) & ~Word{1};
      Count steps = 0;  // the least that is not refuted, counted one by one
      for (Count done = 0; done < Count{bit(m)} * static_cast<Count>(n - 1); ++steps)
        done += static_cast<Count>(n - 1) + std::min(static_cast<Count>(n - 1), steps);
      ScheduleHeader header;
      header.machine = Hypercube{.dimensions = n};
      header.elements = bit(m);
      header.slots = bit(m);
      header.goal = star;
      EXPECT_GE(lower_bound(header.machine, star, bit(m)).value, steps);
      header.bound = Bound{steps, "", Arrivals{{{1, 0}}, others}};
      EXPECT_EQ(certificates::check_bound(header).answer, Verdict::BoundAnswer::checked)
          << n << ' ' << m;
      header.bound->value += 1;
      EXPECT_TRUE(certificates::check_bound(header).refuted.has_value());
      header.bound = Bound{steps, "", Arrivals{{{1, 1}}, others}};  // where all of them start
      EXPECT_EQ(certificates::check_bound(header).refuted.has_value(),
                steps > (Count{bit(m)} + 1) / 2)
          << n << ' ' << m;
      header.bound = Bound{steps, "", Arrivals{{{1, 0}}, bit(n)}};
      EXPECT_TRUE(certificates::check_bound(header).refuted.has_value());
      header.bound = Bound{steps, "", Arrivals{{{bit(n), 0}}, others}};
      EXPECT_TRUE(certificates::check_bound(header).refuted.has_value());
      header.bound = Bound{steps, "", Arrivals{{}, 0}};
      EXPECT_TRUE(certificates::check_bound(header).refuted.has_value());
      ++judged;
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
