// Replay and proof of cube schedules give the same verdict and the same count; and every rule of
// the cube has a schedule that this rule alone refuses.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "faro/base/error.hpp"
#include "machines/cube/samples.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

using testing::Change;
using testing::gray_schedule;
using testing::Hostile;
using testing::rules_of;
using testing::verdict_of;

void expect_right(const RecordingSink& s) {
  EXPECT_TRUE(verdict_of(cube_replay(), s).ok());
  EXPECT_TRUE(verdict_of(cube_proof(), s).ok());
}

// Gray code to binary on a 2-cube, two elements, one spare slot: only 2 and 3 exchange.
RecordingSink base() {
  RecordingSink s = gray_schedule(2, 2);
  s.header.slots = 3;
  s.cube_steps = {CubeStep{{}, {{2, 0, 3, 0}, {3, 0, 2, 0}}, {}, {}},
                  CubeStep{{{{{2, 1}}, 1, 0, 1}}, {}, {}, {}}};
  Cost cost;
  cost.steps = 2;
  cost.remote_moves = 4;
  s.header.cost = cost;
  s.header.bound = Bound{2, "each of two processors must send two elements over one link", {}};
  return s;
}

Change move(std::size_t step, Move m) {
  return [=](RecordingSink& s) {
    s.cube_steps.at(step).moves.push_back(m);
    s.header.cost.reset();
  };
}
Change rule(Rule r) {
  return [=](RecordingSink& s) {
    s.cube_steps.at(1).rules.push_back(r);
    s.header.cost.reset();
  };
}
// As a step of its own, after the others.
Change late(Rule r) {
  return [=](RecordingSink& s) {
    s.cube_steps.push_back(CubeStep{{r}, {}, {}, {}});
    s.header.cost.reset();
  };
}
Change both(const Change& first, const Change& second) {
  return [=](RecordingSink& s) {
    first(s);
    second(s);
  };
}
void with_one_port(RecordingSink& s) {
  std::get<Hypercube>(s.header.machine).ports = Hypercube::Ports::one;
}

const std::vector<Hostile>& hostile() {
  static const std::vector<Hostile> list = {
      {"proc-range", move(0, {4, 0, 0, 2})},
      {"proc-range", move(0, {0, 0, 4, 2})},
      {"proc-range", move(0, {bit(63), 0, bit(63) ^ 1, 2})},
      {"slot-range", move(0, {0, 3, 1, 2})},
      {"slot-range", move(0, {0, 0, 1, 3})},
      {"slot-range", move(0, {0, 0, 1, 4294967295U})},
      {"slot-range", rule({{}, 3, inside, 0})},
      {"slot-range", rule({{}, 0, inside, 3})},
      {"dimension-range", late({{}, 0, 2, 2})},
      {"dimension-range", late({{}, 0, -2, 2})},
      {"dimension-range", late({{}, 0, 2147483647, 2})},
      {"mask-range", late({{{4, 0}}, 0, 1, 2})},
      {"mask-range", late({{{1, 2}}, 0, 1, 2})},
      {"not-a-link", move(0, {0, 0, 3, 2})},
      {"not-a-link", move(0, {1, 0, 2, 2})},
      {"link-twice", move(0, {2, 1, 3, 2})},
      {"link-twice", rule({{{3, 3 & 1}}, 0, 0, 2})},
      {"one-port", both(with_one_port, move(0, {0, 0, 2, 2}))},
      {"one-port", both(with_one_port, move(0, {2, 1, 0, 2}))},
      {"one-port", both(with_one_port, rule({{{3, 0}, {1, 0}}, 0, 1, 2}))},
      {"reads-empty", move(0, {0, 2, 1, 2})},
      {"reads-empty", move(0, {0, 2, 0, 2})},
      {"reads-empty", both(move(1, {1, 0, 0, 2}), move(1, {0, 2, 1, 2}))},
      {"two-writes", both(move(1, {0, 0, 1, 2}), move(1, {1, 0, 1, 2}))},
      {"two-writes", both(move(1, {1, 0, 1, 2}), move(1, {1, 0, 1, 2}))},
      {"two-writes", both(rule({{{1, 1}}, 0, inside, 2}), rule({{{2, 1}}, 0, inside, 2}))},
      {"butterfly", [](RecordingSink& s) { s.cube_steps[0].butterflies.push_back({0, 0, 1}); }},
      {"butterfly",
       [](RecordingSink& s) { s.cube_steps[0].butterfly_rules.push_back({{}, 0, 1}); }},
      {"not-delivered", [](RecordingSink& s) { s.cube_steps.pop_back(), s.header = base().header;
                          s.header.cost.reset(), s.header.bound.reset(); }},
      {"not-delivered", late({{{2, 1}}, 0, inside, 1})},
      {"goal", [](RecordingSink& s) { s.header.goal = MapGoal{testing::gray_to_binary(3)}; }},
      {"goal",
       [](RecordingSink& s) { s.header.goal = MapGoal{testing::gray_to_binary(2), true, 1}; }},
      {"goal",
       [](RecordingSink& s) { s.header.goal = MovesGoal{{{0, 0, 0, 0}, {0, 0, 0, 0}}}; }},
      {"goal", [](RecordingSink& s) { s.header.goal = MovesGoal{{{0, 2, 0, 0}}}; }},
      {"goal", [](RecordingSink& s) { s.header.goal = MovesGoal{{{0, 0, 4, 0}}}; }},
      {"goal", [](RecordingSink& s) { s.header.goal = MatmulGoal{2, 0, 1, 2}; }},
      {"cost-claim", [](RecordingSink& s) { s.header.cost->steps = 1; }},
      {"cost-claim", [](RecordingSink& s) { s.header.cost->remote_moves = 5; }},
      {"cost-claim", [](RecordingSink& s) { s.header.cost->slots = 1; }},
      {"bound-claim", [](RecordingSink& s) { s.header.bound->value = 3; }}};
  return list;
}

TEST(CubeVerifiers, both_accept_the_conversion_of_gray_code_and_count_alike) {
  for (int n = 2; n <= 9; ++n) {
    for (int elements = 1; elements <= 12; ++elements) {
      const RecordingSink schedule = gray_schedule(n, elements);
      const Verdict replayed = verdict_of(make_replay(), schedule);
      const Verdict proved = verdict_of(make_proof(), schedule);
      ASSERT_TRUE(replayed.ok()) << n << " " << elements << replayed.violations[0].message;
      ASSERT_TRUE(proved.ok()) << n << " " << elements << proved.violations[0].message;
      ASSERT_EQ(replayed.cost, proved.cost);
      ASSERT_EQ(replayed.delivered, proved.delivered);
      ASSERT_EQ(replayed.expected, static_cast<Count>(elements) << n);
      ASSERT_EQ(replayed.cost.steps, static_cast<Count>(std::max(elements, n - 1)));
    }
  }
}

TEST(CubeVerifiers, proof_covers_two_to_the_sixty_processors) {
  const RecordingSink schedule = gray_schedule(60, 100);
  const Verdict proved = verdict_of(make_proof(), schedule);
  EXPECT_TRUE(proved.ok());
  EXPECT_EQ(proved.expected, Count{100} << 60);
  EXPECT_EQ(proved.delivered, proved.expected);
  EXPECT_EQ(proved.cost.steps, 100U);
  EXPECT_THROW(verdict_of(make_replay(), schedule), Error);
}

TEST(CubeHostile, the_base_is_right_with_all_ports_and_with_one) {
  RecordingSink s = base();
  expect_right(s);
  with_one_port(s);
  expect_right(s);
}

TEST(CubeHostile, each_rule_refuses_what_no_other_rule_refuses) {
  testing::expect_refused(base(), hostile(), {cube_replay, cube_proof});
  std::set<std::string> fired;
  for (const Hostile& h : hostile()) fired.insert(h.rule);
  EXPECT_EQ(fired, (std::set<std::string>{"proc-range", "slot-range", "dimension-range",
                                          "mask-range", "not-a-link", "link-twice", "one-port",
                                          "reads-empty", "two-writes", "butterfly", "not-delivered",
                                          "goal", "cost-claim", "bound-claim"}));
}

TEST(CubeHostile, what_is_legal_though_odd_is_accepted) {
  for (const Change& change :
       {rule({{}, 0, inside, 0}), rule({{{0, 1}}, 0, inside, 3}), rule({{{0, 1}}, 0, 0, 0}),
        rule({{{0, 0}}, 0, inside, 2}), rule({{{1, 0}, {1, 1}}, 2, 1, 2}), move(0, {1, 0, 1, 0}),
        move(0, {0, 0, 1, 2}),
        Change([](RecordingSink& s) { s.cube_steps.insert(s.cube_steps.begin(), CubeStep{}); }),
        Change([](RecordingSink& s) {
          s.header.goal = MovesGoal{{{2, 0, 3, 0}}};
        })}) {
    RecordingSink s = base();
    change(s);
    expect_right(s);
  }
}

TEST(CubeHostile, sizes_that_nobody_has_are_refused_before_anything_is_allocated) {
  RecordingSink s = base();
  s.header.elements = s.header.slots = ~std::uint64_t{0};
  EXPECT_THROW(verdict_of(cube_replay(), s), Error);
  EXPECT_FALSE(verdict_of(cube_proof(), s).ok());
  s = base();
  s.header.slots = 1;
  EXPECT_TRUE(rules_of(verdict_of(cube_replay(), s)).contains("slot-range"));
  EXPECT_TRUE(rules_of(verdict_of(cube_proof(), s)).contains("slot-range"));
}

// Every processor of a large cube is moved by a rule of its own: the pieces never merge.
TEST(CubeHostile, a_partition_that_explodes_is_not_provable_and_ends_soon) {
  RecordingSink s;
  s.header.machine = Hypercube{40, Hypercube::Ports::all};
  s.header.goal = MapGoal{BitMap::identity(40), false, 0};
  s.header.elements = 1;
  s.header.slots = 2;
  Random random(3);
  for (int t = 0; t < 30; ++t) {
    CubeStep step;
    for (int k = 0; k < 400; ++k) step.moves.push_back({random.below(bit(40)), 0, 0, 1});
    for (Move& m : step.moves) m.to_processor = m.from_processor;
    s.cube_steps.push_back(step);
  }
  const Verdict proof = verdict_of(cube_proof(), s);
  EXPECT_EQ(proof.answer, Verdict::Answer::unprovable);
  EXPECT_NE(proof.limit.find("pieces"), std::string::npos) << proof.limit;
}

}  // namespace
}  // namespace faro
