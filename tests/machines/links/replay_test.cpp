// Replay of the mesh with all links against broken schedules, and its check of certificates.
#include <gtest/gtest.h>

#include "full.hpp"
#include "machines/mesh/verifiers.hpp"
#include "machines/mesh_cases.hpp"

namespace faro {
namespace {

// A line of four: 0 and 1 exchange, 2 and 3 exchange. Element 0 waits in slot 1 on its way.
struct Case {
  ScheduleHeader header;
  std::vector<CubeStep> steps;

  Case() {
    header.machine = Mesh{.sides_log2 = {0, 2}, .links = Mesh::Links::all};
    header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1, 2}, 1)};
    header.slots = 2;
    header.bound =
        Bound{1, "weights", certificate::Weights{{{0, 1, 1}, {1, 0, 1}, {2, 3, 1}, {3, 2, 1}}}};
    steps.resize(2);
    steps[0].moves = {{0, 0, 1, 1}, {1, 0, 0, 0}, {2, 0, 3, 0}, {3, 0, 2, 0}};
    steps[1].moves = {{1, 1, 1, 0}};
  }
};

Verdict judged(const Case& c) {
  const auto replay = links_replay();
  replay->begin(c.header);
  for (const CubeStep& step : c.steps) replay->step(step);
  replay->finish();
  return replay->verdict();
}

TEST(LinksReplay, two_exchanges_on_a_line_of_four_take_one_step) {
  const Verdict verdict = judged(Case());
  EXPECT_TRUE(verdict.ok());
  EXPECT_EQ(verdict.cost, (Cost{.steps = 1, .remote_moves = 4}));
}

TEST(LinksReplay, each_rule_has_a_schedule_that_only_it_catches) {
  const auto expect_only = [](const std::string& rule, auto change) {
    Case c;
    change(c);
    const Verdict verdict = judged(c);
    EXPECT_EQ(verdict.answer, Verdict::Answer::no) << rule;
    for (const Violation& v : verdict.violations) EXPECT_EQ(v.rule, rule) << v.message;
  };
  expect_only("machine",
              [](Case& c) { std::get<Mesh>(c.header.machine).wrap = Mesh::Wrap::propagating; });
  expect_only("rules", [](Case& c) { c.steps[0].rules.push_back({{}, 0, 0, 0}); });
  expect_only("goal", [](Case& c) { c.header.goal = MovesGoal{{{0, 0, 1, 0}, {0, 0, 1, 0}}}; });
  // Harmless beside the others: what they carry is not wanted.
  const auto add = [](Case& c, Move m) { c.steps[0].moves.push_back(m); };
  expect_only("proc-range", [&](Case& c) { add(c, {9, 0, 0, 1}); });
  expect_only("slot-range", [&](Case& c) { add(c, {0, 2, 0, 1}); });
  expect_only("not-a-link", [&](Case& c) { add(c, {0, 0, 2, 1}); });
  expect_only("link-twice", [&](Case& c) { add(c, {1, 0, 0, 1}); });
  expect_only("reads-empty", [&](Case& c) { add(c, {2, 1, 2, 1}); });
  expect_only("two-writes", [&](Case& c) {
    add(c, {2, 0, 2, 1});
    add(c, {2, 0, 2, 1});
  });
  expect_only("not-delivered", [](Case& c) { c.steps.pop_back(); });
  expect_only("cost-claim", [](Case& c) { c.header.cost = CostClaim(Cost{.steps = 2}); });
  expect_only("bound-claim", [](Case& c) { c.header.bound = Bound{2, "wishful", {}}; });
  expect_only("bound-claim", [](Case& c) {
    std::get<certificate::Weights>(c.header.bound->certificate).links.push_back({0, 3, 1});
  });
  expect_only("bound-claim", [](Case& c) {
    c.header.bound->certificate = certificate::Weights{{{1, 2, 1}}};
  });
  // A slot fewer: the element that waits has no place.
  Case c;
  c.header.slots = 1;
  EXPECT_EQ(judged(c).violations.front().rule, "slot-range");
  c.header.elements = 2;
  EXPECT_EQ(judged(c).violations.front().rule, "machine");
}

TEST(LinksReplay, a_ring_has_the_link_that_a_line_has_not) {
  Case c;
  c.header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1, 2}, 3)};
  c.header.bound.reset();
  c.steps[0].moves = {{0, 0, 3, 1}, {3, 0, 0, 1}, {1, 0, 2, 1}, {2, 0, 1, 1}};
  c.steps[1].moves = {{0, 1, 0, 0}, {1, 1, 1, 0}, {2, 1, 2, 0}, {3, 1, 3, 0}};
  EXPECT_EQ(judged(c).violations.front().rule, "not-a-link");
  std::get<Mesh>(c.header.machine).wrap = Mesh::Wrap::orthogonal;
  EXPECT_TRUE(judged(c).ok());
}

// On a side of two the ring's link is the line's.
TEST(LinksReplay, a_wrapped_side_of_two_has_one_link_each_way) {
  ScheduleHeader header;
  header.machine =
      Mesh{.sides_log2 = {1}, .wrap = Mesh::Wrap::orthogonal, .links = Mesh::Links::all};
  header.goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1}, 1)};
  header.elements = 2;
  header.slots = 2;
  CubeStep step;
  step.moves = {{0, 0, 1, 0}, {1, 0, 0, 0}, {0, 1, 1, 1}, {1, 1, 0, 1}};
  const auto replay = links_replay();
  replay->begin(header);
  replay->step(step);
  replay->finish();
  EXPECT_EQ(replay->verdict().violations.front().rule, "link-twice");
}

TEST(LinksProof, lists_of_moves_are_left_to_replay) {
  const auto proof = links_proof();
  proof->begin(Case().header);
  proof->finish();
  EXPECT_EQ(proof->verdict().answer, Verdict::Answer::unprovable);
}

}  // namespace
}  // namespace faro
