// Bounds of small cubes by the best flow, and plans near them.
#include "machines/cube/flow_bounds.hpp"

#include <gtest/gtest.h>

#include "faro/service/plan.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "maps.hpp"

namespace faro {
namespace {

TEST(FlowBounds, are_checked_by_their_certificates_and_never_above_a_plan) {
  Random random(71);
  testing::Judged better(10);  // than what is counted dimension by dimension
  for (int round = 0; round < 40; ++round) {
    const Hypercube cube{
        .dimensions = 2 + static_cast<int>(random.below(4)),
        .ports = random.below(2) == 0 ? Hypercube::Ports::all : Hypercube::Ports::one};
    const MapGoal goal{.map = testing::random_affine(cube.dimensions, random)};
    const std::uint64_t elements = 1 + random.below(20);
    const auto flow = flow_bound(cube, goal, elements);
    if (!flow || flow->value <= lower_bound(cube, goal, elements).value) continue;
    const MachinePlan made = plan(Request::of(cube, goal, elements));
    EXPECT_EQ(made.bound().value, flow->value);
    EXPECT_LE(flow->value, made.value());
    EXPECT_TRUE(made.ok());
    for (const Verdict& verdict : made.verdicts())
      EXPECT_EQ(verdict.bound, Verdict::BoundAnswer::checked) << verdict.by;
    ++better;
  }
}

// a[1] is complemented where a[0] is set: the others' links bring half of the elements round, and
// half of its links stand still at first and at last.
TEST(FlowBounds, half_of_the_elements_go_round) {
  const MachinePlan made = plan("matrix(0x2, 0x3)", "cube:2", {.elements = 64});
  EXPECT_TRUE(made.ok());
  EXPECT_EQ(made.bound().value, Count{33});
  EXPECT_EQ(made.value(), Count{33});
}

// Bits that depend on each other and on no others are a cube of their own, in a cube of any size.
TEST(FlowBounds, a_part_is_looked_at_by_itself) {
  const Request alone = Request::of("matrix(0x3, 0x6, 0x1)", "cube:3", 64);
  const Request beside = Request::of("a:3 b:3 c:50 -> a matrix(0x3, 0x6, 0x1)(b) c", "cube:56", 64);
  const auto small = flow_bound(std::get<Hypercube>(alone.machine()), alone.map(), 64);
  const auto large = flow_bound(std::get<Hypercube>(beside.machine()), beside.map(), 64);
  ASSERT_TRUE(small && large);
  EXPECT_EQ(small->value, large->value);
  EXPECT_GT(large->value, lower_bound(beside.machine(), beside.map(), 64).value);
  const MachinePlan made =
      plan("a:3 b:3 -> ungray(a) matrix(0x3, 0x6, 0x1)(b)", "cube:6", {.elements = 64});
  EXPECT_EQ(made.bound().value, small->value);
  for (const Verdict& verdict : made.verdicts())
    EXPECT_EQ(verdict.bound, Verdict::BoundAnswer::checked) << verdict.by;
}

}  // namespace
}  // namespace faro
