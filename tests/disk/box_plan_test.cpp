// Plans for arrays of any lengths in chunks, judged by counting every element, and damaged on
// purpose.
#include "disk/box_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "box_judge.hpp"
#include "box_problem.hpp"
#include "faro/base/error.hpp"
#include "full.hpp"

namespace faro::disk {
namespace {

using Cuts = std::vector<std::uint64_t>;

// All cuts, both ends included.
Cuts cuts_of(const AxisGrid& grid) {
  Cuts cuts{0};
  for (std::uint64_t i = 0; i < grid.count(); ++i) cuts.push_back(grid.block(i).end);
  return cuts;
}

AxisGrid random_axis(std::uint64_t length, Random& random) {
  if (random.below(4) != 0)
    return AxisGrid::regular(length, 1 + random.below(length), random.below(2) == 0);
  Cuts cuts;
  for (std::uint64_t x = 1; x < length; ++x)
    if (random.below(4) == 0) cuts.push_back(x);
  return AxisGrid::listed(length, cuts);
}

struct Counted {
  std::uint64_t meets = 0;
  std::uint64_t common = 0;
  std::uint64_t cover = 0;
  std::uint64_t component = 0;
  MostMet met{0, 0};
  double mean_log = 0;
  double mean_log_of_meets = 0;
  bool nested = true;
};

Counted counted(const AxisGrid& a, const AxisGrid& b) {
  const Cuts p = cuts_of(a);
  const Cuts q = cuts_of(b);
  Cuts all;
  std::set_union(p.begin(), p.end(), q.begin(), q.end(), std::back_inserter(all));
  Cuts common;
  std::set_intersection(p.begin(), p.end(), q.begin(), q.end(), std::back_inserter(common));
  Counted c;
  c.meets = all.size() - 1;
  c.common = common.size() - 2;
  c.nested = common.size() == q.size();
  const auto of = [](const Cuts& cuts, const auto& each) {
    for (std::size_t i = 1; i < cuts.size(); ++i) each(cuts[i - 1], cuts[i]);
  };
  const auto weigh = [&](std::uint64_t x, std::uint64_t y) {
    return static_cast<double>(y - x) * std::log2(static_cast<double>(y - x)) /
           static_cast<double>(a.length());
  };
  of(common, [&](std::uint64_t x, std::uint64_t y) { c.component = std::max(c.component, y - x); });
  of(p, [&](std::uint64_t x, std::uint64_t y) { c.mean_log += weigh(x, y); });
  of(all, [&](std::uint64_t x, std::uint64_t y) { c.mean_log_of_meets += weigh(x, y); });
  of(q, [&](std::uint64_t x, std::uint64_t y) {
    std::uint64_t count = 0;
    std::uint64_t span = 0;
    of(p, [&](std::uint64_t u, std::uint64_t v) {
      if (u >= y || v <= x) return;
      ++count;
      span += v - u;
    });
    c.cover += span;
    c.met.blocks = std::max(c.met.blocks, count);
    c.met.span = std::max(c.met.span, span);
  });
  return c;
}

TEST(AxisGrid, what_two_grids_have_in_common_is_what_their_lists_of_cuts_have) {
  const int rounds = testing::full_run() ? 100'000 : testing::sanitized() ? 1000 : 10'000;
  Random random(1);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t n = 1 + random.below(80);
    const AxisGrid a = random_axis(n, random);
    const AxisGrid b = random_axis(n, random);
    const Counted wanted = counted(a, b);
    ASSERT_EQ(common_cuts(a, b), wanted.common) << round;
    ASSERT_EQ(meets(a, b), wanted.meets) << round;
    ASSERT_EQ(is_nested(a, b), wanted.nested) << round;
    ASSERT_EQ(cover(a, b), wanted.cover) << round;
    ASSERT_EQ(longest_component(a, b), wanted.component) << round;
    ASSERT_EQ(most_met(a, b).blocks, wanted.met.blocks) << round;
    ASSERT_EQ(most_met(a, b).span, wanted.met.span) << round;
    ASSERT_NEAR(mean_log(a), wanted.mean_log, 1e-9) << round;
    ASSERT_NEAR(mean_log(a, b), wanted.mean_log_of_meets, 1e-9) << round;
    for (std::uint64_t x = 0; x < n; ++x) {
      const Interval block = a.block(a.at(x));
      ASSERT_TRUE(block.begin <= x && x < block.end);
    }
  }
}

TEST(AxisGrid, long_axes_take_formulas) {
  const std::uint64_t n = (std::uint64_t{1} << 40U) + 5;
  const AxisGrid a = AxisGrid::regular(n, 97);
  const AxisGrid b = AxisGrid::regular(n, 101, true);
  // Cuts of a are 0 modulo 97, those of b n modulo 101: one in 9797.
  EXPECT_NEAR(static_cast<double>(common_cuts(a, b)), static_cast<double>(n) / 9797, 1.0);
  EXPECT_EQ(longest_component(a, b), 9797U);
  EXPECT_EQ(most_met(a, b).blocks, 3U);
  EXPECT_EQ(common_cuts(a, a), a.count() - 1);
  const AxisGrid other = AxisGrid::regular(n, std::uint64_t{1} << 39U);
  EXPECT_EQ(meets(other, AxisGrid::regular(n, (std::uint64_t{1} << 39U) - 1)), 5U);
}

// 721 in steps of 72 against itself reversed: no cut in common, as 720 has none without.
TEST(AxisGrid, reversed_ragged_axes_meet_everywhere) {
  EXPECT_EQ(longest_component(AxisGrid::regular(721, 72), AxisGrid::regular(721, 72, true)), 721U);
  EXPECT_EQ(longest_component(AxisGrid::regular(720, 72), AxisGrid::regular(720, 72, true)), 72U);
}

StoredGrid chunked(Cuts shape, Cuts chunks, std::uint64_t element, Cuts shards = {}) {
  StoredGrid grid{.shape = std::move(shape),
                  .chunks = std::move(chunks),
                  .shards = std::move(shards),
                  .element_bytes = element};
  return grid;
}

TEST(BoxPlan, every_element_of_small_plans_is_counted) {
  const int rounds = testing::full_run() ? 6000 : testing::sanitized() ? 150 : 500;
  Random random(2);
  int planned[4] = {};
  int walks = 0;
  int again = 0;
  for (int round = 0; round < rounds; ++round) {
    BoxProblem problem = testing::random_problem(random);
    problem.passes = static_cast<int>(random.below(4));
    problem.only_walks = random.below(4) == 0;
    try {
      const BoxPlan plan = BoxPlan::make(problem);
      ASSERT_EQ(testing::BoxJudge(plan).wrong(), "") << round << "\n" << plan.describe();
      ++planned[plan.facts().passes.size()];
      walks += plan.facts().passes[0].walked ? 1 : 0;
      again += plan.facts().passes[0].bytes_read > plan.facts().data_bytes ? 1 : 0;
      const BoxPlan same = BoxPlan::from_json(problem, plan.json());
      ASSERT_EQ(same.json(), plan.json()) << round;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible) << error.what();
      ++planned[0];
    }
  }
  EXPECT_GT(planned[1], rounds / 4);
  EXPECT_GT(planned[2], rounds / 20);
  EXPECT_GT(planned[3], rounds / 20);
  EXPECT_LT(planned[0], rounds / 3);
  EXPECT_GT(walks, 0);
  EXPECT_GT(again, 0);
}

// One byte of `text` is changed, lost or written twice.
std::string damaged(std::string text, Random& random) {
  const std::size_t at = random.below(text.size());
  switch (random.below(4)) {
    case 0:
      return text.erase(at, 1);
    case 1:
      return text.insert(at, 1, text[at]);
    case 2:  // a number stays a number
      for (std::size_t i = at; i < text.size(); ++i)
        if (text[i] >= '0' && text[i] <= '9') {
          text[i] = static_cast<char>('0' + random.below(10));
          break;
        }
      return text;
    default:
      text[at] = static_cast<char>(random.below(256));
      return text;
  }
}

// Nothing is trusted of what an unfinished run kept of its plan.
TEST(BoxPlan, a_damaged_plan_is_refused_or_right) {
  const int rounds = testing::full_run() ? 4000 : testing::sanitized() ? 60 : 200;
  Random random(7);
  int refused = 0;
  int right = 0;
  for (int round = 0; round < rounds; ++round) {
    BoxProblem problem = testing::random_problem(random);
    problem.passes = static_cast<int>(random.below(4));
    std::string whole;
    try {
      whole = BoxPlan::make(problem).json();
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible) << error.what();
      continue;
    }
    std::string huge = whole;
    huge.replace(huge.find("\"tile\":[[") + 9, 1, "4e27");
    EXPECT_THROW(static_cast<void>(BoxPlan::from_json(problem, huge)), Error);
    for (int k = 0; k < 10; ++k) {
      const std::string text = damaged(whole, random);
      try {
        const BoxPlan plan = BoxPlan::from_json(problem, text);
        ASSERT_EQ(testing::BoxJudge(plan).wrong(), "") << round << "\n" << whole << "\n" << text;
        ASSERT_LE(plan.facts().peak_bytes(), problem.memory_bytes) << text;
        ++right;
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::environment) << error.what() << "\n" << text;
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, rounds);
  EXPECT_GT(right, rounds);
}

// The least that any tile of whole units costs, by trying all steps.
TEST(BoxPlan, one_pass_is_as_cheap_as_the_cheapest_of_all_steps) {
  const int rounds = testing::full_run() ? 2000 : testing::sanitized() ? 20 : 150;
  Random random(3);
  int judged = 0;
  for (int round = 0; round < rounds; ++round) {
    BoxProblem problem = testing::random_problem(random);
    const std::size_t axes = problem.to.shape.size();
    if (axes == 0 || axes > 3) continue;
    problem.threads = 1;
    const BoxGrids grids = BoxGrids::of(problem);
    const auto found = find_one_pass(problem, grids, 1);
    std::vector<std::vector<AxisGrid>> tiles{{}};
    for (std::size_t k = 0; k < axes; ++k) {
      std::vector<std::vector<AxisGrid>> next;
      for (std::uint64_t step = 1; step <= grids.shape[k]; ++step) {
        const AxisGrid axis = AxisGrid::regular(grids.shape[k], step);
        if (!is_nested(grids.units_to[k], axis)) continue;
        const std::uint64_t s = grids.files_to[k].step();
        if (step < grids.shape[k] && step % s != 0 && s % step != 0) continue;
        for (auto tile : tiles) {
          tile.push_back(axis);
          next.push_back(std::move(tile));
        }
      }
      tiles = std::move(next);
      if (tiles.size() > 4000) break;
    }
    if (tiles.empty() || tiles.front().size() != axes) continue;
    // Thinned steps are not all.
    if (std::any_of(grids.shape.begin(), grids.shape.end(), [](auto n) { return n > 40; }))
      continue;
    std::optional<Count> fewest;
    for (const auto& tile : tiles)
      for (const TileOrder order : {TileOrder::read, TileOrder::write}) {
        std::vector<BoxPass> passes(1);
        passes[0].tile = tile;
        passes[0].order = order;
        if (!complete_pass(problem, grids, 1, passes, 0)) continue;
        const Count bytes = passes[0].bytes_read;
        if (!fewest || bytes < *fewest) fewest = bytes;
      }
    ASSERT_TRUE(!fewest || found) << round;
    if (!fewest || !found || found->passes[0].walked) continue;
    // Where bytes cost all, no tile reads fewer.
    problem.decode_bytes_per_second = 1;
    problem.from.encoded = true;
    const auto cheapest = find_one_pass(problem, grids, 1);
    ASSERT_TRUE(cheapest);
    ASSERT_LE(cheapest->passes[0].bytes_read, *fewest) << round;
    ++judged;
  }
  EXPECT_GT(judged, rounds / 20);
}

BoxProblem of(StoredGrid from, StoredGrid to, std::uint64_t memory) {
  BoxProblem problem;
  problem.from = std::move(from);
  problem.to = std::move(to);
  problem.memory_bytes = memory;
  return problem;
}

constexpr std::uint64_t mebi = std::uint64_t{1} << 20U;

TEST(BoxPlan, planes_go_into_shards_of_small_chunks_in_one_pass) {
  const BoxPlan plan =
      BoxPlan::make(of(chunked({1402, 2596, 1473}, {1, 2596, 1473}, 2),
                       chunked({1402, 2596, 1473}, {64, 64, 64}, 2, {512, 512, 512}), 1024 * mebi));
  EXPECT_EQ(plan.facts().passes.size(), 1U);
  EXPECT_EQ(plan.facts().passes[0].bytes_read, plan.facts().data_bytes);
  EXPECT_LT(plan.facts().passes[0].tile[0].step(), 512U);  // less than a shard
}

TEST(BoxPlan, maps_become_series_in_two_passes) {
  const BoxPlan plan =
      BoxPlan::make(of(chunked({8760, 721, 1440}, {1, 721, 1440}, 4),
                       chunked({8760, 721, 1440}, {8760, 24, 48}, 4), 1024 * mebi));
  EXPECT_EQ(plan.facts().passes.size(), 2U);
  EXPECT_EQ(plan.facts().bound.passes, 2);
  // Within a few times of what theorem 1 says any two passes have.
  EXPECT_LT(static_cast<double>(plan.facts().passes[1].reads), 12 * plan.facts().bound.pieces);
  EXPECT_NE(plan.describe().find("theorem 1"), std::string::npos);
}

TEST(BoxPlan, too_little_memory_says_how_much_does) {
  BoxProblem problem =
      of(chunked({1000, 1000}, {1000, 1}, 8), chunked({1000, 1000}, {1, 1000}, 8), 20'000);
  problem.fixed_bytes = 0;
  for (problem.passes = 0; problem.passes <= 3; ++problem.passes) {
    problem.memory_bytes = 7000;
    try {
      (void)BoxPlan::make(problem);
      FAIL() << problem.passes;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible);
      const std::string text = error.what();
      const std::size_t at = text.rfind("; ");
      ASSERT_NE(at, std::string::npos) << text;
      problem.memory_bytes = std::stoull(text.substr(at + 2));
      EXPECT_LT(problem.memory_bytes, 10'000'000U) << text;
      EXPECT_NO_THROW((void)BoxPlan::make(problem)) << text;
    }
  }
}

TEST(BoxPlan, what_does_not_fit_is_refused) {
  const auto refused = [](const BoxProblem& problem) {
    try {
      (void)BoxPlan::make(problem);
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage;
    }
    return false;
  };
  const StoredGrid good = chunked({4, 6}, {2, 3}, 1);
  EXPECT_TRUE(refused(of(good, chunked({4, 5}, {2, 3}, 1), mebi)));
  EXPECT_TRUE(refused(of(good, chunked({4, 6}, {2, 3}, 2), mebi)));
  EXPECT_TRUE(refused(of(good, chunked({4, 6}, {2, 3}, 1, {3, 3}), mebi)));
  EXPECT_TRUE(refused(of(good, chunked({4, 6}, {0, 3}, 1), mebi)));
  EXPECT_TRUE(refused(of(good, chunked({24}, {2}, 1), mebi)));
  BoxProblem twice = of(good, chunked({6, 6}, {2, 3}, 1), mebi);
  twice.axes = {1, 1};
  EXPECT_TRUE(refused(twice));
}

}  // namespace
}  // namespace faro::disk
