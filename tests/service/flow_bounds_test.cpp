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
        .dimensions = 2 + static_cast<int>(random.below(3)),
        .ports = random.below(2) == 0 ? Hypercube::Ports::all : Hypercube::Ports::one};
    const MapGoal goal{.map = testing::random_affine(cube.dimensions, random)};
    const std::uint64_t elements = 1 + random.below(20);
    const auto flow = flow_bound(cube, goal, elements);
    if (!flow || flow->value <= lower_bound(cube, goal, elements).value) continue;
    const Plan made = plan(Request::of(cube, goal, elements));
    EXPECT_EQ(made.bound().value, flow->value);
    EXPECT_LE(flow->value, made.value());
    EXPECT_TRUE(made.ok());
    for (const Verdict& verdict : made.verdicts())
      EXPECT_EQ(verdict.bound, Verdict::BoundAnswer::checked) << verdict.by;
    ++better;
  }
}

// a[1] is complemented where a[0] is set: the others' links bring half of the elements round.
TEST(FlowBounds, half_of_the_elements_go_round) {
  const Plan made = plan("matrix(0x2, 0x3)", "cube:2", {.elements = 64});
  EXPECT_TRUE(made.ok());
  EXPECT_EQ(made.bound().value, Count{32});
  EXPECT_LE(made.value(), Count{34});
}

}  // namespace
}  // namespace faro
