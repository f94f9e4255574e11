// Nodes: costs and names before there are steps, and steps that both judges accept at those costs.
#include "planners/cube/nodes.hpp"

#include <gtest/gtest.h>

#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "planners/cube/codes/minimum_path.hpp"
#include "planners/cube/codes/two_thirds.hpp"

namespace faro {
namespace {

constexpr CodeField low{.lo = 0, .length = 3};
constexpr CodeField high{.lo = 3, .length = 2};

void accepted(const Request& request, const Node& node) {
  const Offer offer = offer_of(request, "test", node, "counted");
  for (const auto& verifier : {make_replay(), make_proof()}) {
    offer.push(*verifier);
    const Verdict verdict = verifier->verdict();
    EXPECT_TRUE(verdict.ok()) << node.expression << ": "
                              << (verdict.violations.empty() ? "" : verdict.violations[0].message);
    EXPECT_EQ(verdict.cost.steps, node.cost) << node.expression;
  }
}

TEST(Nodes, one_after_another_cost_their_sum_and_side_by_side_the_slowest) {
  const Request request = Request::of("a:2 b:3 -> ungray(a) ungray(b)", "cube:5", 6);
  const Node a = two_bits_node(high, 6);
  const Node b = minimum_path_node({low}, 6);
  const Node sequence = one_after_another(6, {a, b});
  EXPECT_EQ(sequence.cost, 4U + 6U);
  EXPECT_EQ(sequence.expression, "sequence(two-bits, minimum-path)");
  accepted(request, sequence);
  EXPECT_EQ(one_after_another(6, {a}).expression, "two-bits");

  // Three elements of each field at once are a part of the work; the rest is the other phase.
  const auto work = [](std::size_t i, std::uint64_t elements) {
    return i == 0 ? two_bits_node(high, elements) : minimum_path_node({low}, elements);
  };
  const Node both = phases(6, 2, work);
  EXPECT_EQ(both.cost, 3U + 3U);
  EXPECT_EQ(both.expression, "phases(two-bits, minimum-path)");
  accepted(request, both);
  EXPECT_EQ(phases(6, 1, work).expression, "two-bits");
  const Node beside = side_by_side(6, {{work(0, 2), 2, 0, 1}, {work(1, 4), 4, 2, 1}});
  EXPECT_EQ(beside.cost, 4U);
  EXPECT_EQ(beside.expression, "beside(two-bits, minimum-path)");
}

TEST(Nodes, the_inverse_undoes_the_node_at_the_same_cost) {
  const Request back = Request::of("a:2 b:3 -> gray(a) gray(b)", "cube:5", 5);
  const Node forth = one_after_another(5, {two_bits_node(high, 5), minimum_path_node({low}, 5)});
  EXPECT_EQ(directed(forth, Direction::forward).expression, forth.expression);
  const Node inverse = directed(forth, Direction::inverse);
  EXPECT_EQ(inverse.expression, "inverse(sequence(two-bits, minimum-path))");
  EXPECT_EQ(inverse.cost, forth.cost);
  accepted(back, inverse);
}

TEST(Nodes, the_first_of_the_cheapest_is_taken) {
  const auto named = [](const char* name, std::uint64_t steps) {
    return node_of(name, {.slots = 1, .steps = steps, .make = {}});
  };
  EXPECT_EQ(cheapest({named("a", 3), named("b", 2), named("c", 2)}).expression, "b");
}

TEST(Nodes, a_plan_says_what_it_is_made_of) {
  EXPECT_EQ(plan("a:6 -> ungray(a)", "cube:6", {.elements = 100}).expression(), "conversion-table");
  EXPECT_EQ(plan("a:6 -> gray(a)", "cube:6", {.elements = 100}).expression(),
            "inverse(conversion-table)");
  EXPECT_EQ(plan("a:4 b:2 -> ungray(a) ungray(b)", "cube:6",
                 {.elements = 20, .algorithm = "fields-by-phases"})
                .expression(),
            "phases(conversion-table, two-bits)");
  EXPECT_EQ(plan("i:6 -> rot(i, 2)", "cube:6", {.elements = 12, .algorithm = "cycle-rounds"})
                .expression(),
            "phases(rounds(3), rounds(3))");
}

}  // namespace
}  // namespace faro
