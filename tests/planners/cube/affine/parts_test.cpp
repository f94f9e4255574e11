// Maps that fall apart, planned part by part: verified, cheaper than as a whole, never more than
// the phases that were written for conversions.
#include "planners/cube/affine/parts.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::planned;
using testing::random_affine;

// The map on some dimensions in any order, another on the others.
BitMap scattered(Random& random, const BitMap& a, const BitMap& b) {
  const BitMap order = BitMap::from_places(testing::random_places(a.width() + b.width(), random));
  return then(then(order.inverse(), beside(a, b)), order);
}

TEST(PartsByPhases, are_verified_at_the_promised_cost) {
  Random random(31);
  int judged = 0;
  int whole = 0;
  for (int i = 0; i < (testing::full_run() ? 200 : 40); ++i) {
    const int width = 2 + static_cast<int>(random.below(2));
    const BitMap map =
        scattered(random, random_affine(width, random), random_affine(5 - width, random));
    const std::uint64_t elements = 1 + random.below(12);
    const Request request = Request::of(Hypercube{.dimensions = 5}, MapGoal{.map = map}, elements);
    if (parts_by_phases.refusal(request)) {
      ++whole;  // one of the two moves nothing
      continue;
    }
    const MachinePlan made =
        planned(request, {.algorithm = "parts-by-phases", .verify = VerifyBy::both});
    EXPECT_NE(made.expression().find("part("), std::string::npos) << made.expression();
    ++judged;
  }
  EXPECT_GT(judged, 20);
  EXPECT_LT(whole, 10);
}

TEST(PartsByPhases, cost_less_than_the_whole_where_a_part_has_a_good_plan) {
  const auto steps = [](const char* map, const char* machine, std::uint64_t elements) {
    const MachinePlan made = planned(Request::of(map, machine, elements));
    EXPECT_EQ(made.planner(), "parts-by-phases") << map;
    return made.value();
  };
  EXPECT_EQ(steps("a:4 b:3 -> ungray(a) rot(b, 1)", "cube:7", 64), 40U);  // 43 as a whole
  EXPECT_EQ(steps("a:5 b:5 -> ungray(a) gray(b)", "cube:10", 8), 8U);     // 11 as a whole
  EXPECT_EQ(steps("a:30 b:30 -> ungray(a) gray(b)", "cube:60", 50),
            2 * plan("a:30 -> ungray(a)", "cube:30", {.elements = 25}).value());
}

// A conversion backwards begins with what the conversion ends with, elements brought to their
// slots; beside another part that comes before the first link is crossed and costs nothing.
TEST(PartsByPhases, take_conversions_both_ways) {
  for (const std::uint64_t elements : {12U, 40U, 64U}) {
    const MachinePlan made =
        planned(Request::of("a:5 b:5 -> ungray(a) gray(b)", "cube:10", elements),
                {.algorithm = "parts-by-phases", .verify = VerifyBy::proof});
    const auto alone =
        plan(Request::of("a:5 -> gray(a)", "cube:5", elements / 2), {.verify = VerifyBy::nobody});
    EXPECT_EQ(made.value(), 2 * alone.value());
    EXPECT_NE(made.expression().find("inverse("), std::string::npos) << made.expression();
  }
}

// Dimensions that neither move nor are asked cost nothing, however many they are: a search for
// small cubes finds the plan.
TEST(PartsByPhases, one_group_that_moves_costs_what_it_does_on_a_cube_of_its_own) {
  Random random(32);
  for (int i = 0; i < (testing::full_run() ? 60 : 12); ++i) {
    const BitMap map = random_affine(3, random);
    if (map.matrix() == BitMatrix::identity(3)) continue;
    const auto ports = i % 3 == 2 ? Hypercube::Ports::all : Hypercube::Ports{i % 3 + 1};
    const int idle = 1 + static_cast<int>(random.below(30));
    const std::uint64_t elements = 1 + random.below(40);
    const auto steps = [&](const BitMap& all) {
      return planned(Request::of(Hypercube{all.width(), ports}, MapGoal{.map = all}, elements))
          .value();
    };
    EXPECT_LE(steps(scattered(random, map, BitMap::identity(idle))), steps(map)) << elements;
  }
  // Searches list at most 7 dimensions.
  EXPECT_EQ(plan("p:3 q:9 -> matrix(3, 2, 5)(p) q", "cube:12", {.elements = 64}).value(), 44U);
}

TEST(PartsByPhases, refuses_what_does_not_fall_apart) {
  const auto refused = [](const char* map, const char* machine, std::uint64_t elements) {
    return parts_by_phases.refusal(Request::of(map, machine, elements)).has_value();
  };
  EXPECT_TRUE(refused("i:4 -> ungray(i)", "cube:4", 3));
  EXPECT_TRUE(refused("a:2 b:2 -> a b", "cube:4", 3));
  EXPECT_FALSE(refused("a:2 b:2 -> a ungray(b)", "cube:4", 3));
  EXPECT_FALSE(refused("a:2 b:2 -> a ungray(b)", "cube:4,one-port", 3));
  EXPECT_FALSE(refused("a:2 b:2 -> a ungray(b)", "cube:4,2-ports", 3));
  EXPECT_TRUE(refused("a:2 b:2 -> ungray(a) gray(b)", "cube:4,2-ports", 3));
  EXPECT_TRUE(refused("i:9 -> ~i", "cube:9", 3));
  EXPECT_TRUE(refused("a:2 b:2 -> ungray(a) gray(b)", "cube:4,one-port", 3));
  EXPECT_TRUE(refused("a:2 b:2 -> ungray(a) ~b", "cube:4", 5000));
  EXPECT_FALSE(refused("i:8 -> ~i", "cube:8", 3));
}

}  // namespace
}  // namespace faro
