// What schedules cost, counted exactly, beyond 64 bits too.
#include "faro/schedules/cost.hpp"

#include <gtest/gtest.h>

#include "schedules/expand.hpp"
#include "schedules/fingerprint.hpp"

namespace faro {
namespace {

ScheduleHeader cube(int n) {
  ScheduleHeader header;
  header.machine = Hypercube{n, Hypercube::Ports::all};
  header.goal = MapGoal{BitMap::identity(n), false, 0};
  return header;
}

TEST(CostCounter, a_rule_counts_for_everybody_who_meets_it) {
  CostCounter counter;
  counter.begin(cube(60));
  CubeStep step;
  step.rules = {{{}, 0, 3, 0}, {{{0b101, 1}}, 0, 2, 0}, {{{0, 1}}, 0, 1, 0}, {{}, 0, inside, 1}};
  step.moves = {{0, 0, 1, 0}, {0, 0, 0, 1}};
  counter.step(step);
  counter.step(CubeStep{{{{}, 0, inside, 1}}, {}, {}, {}});
  EXPECT_EQ(counter.cost().steps, 1U);
  EXPECT_EQ(counter.cost().remote_moves, (Count{1} << 60U) + (Count{1} << 59U) + 1);
}

TEST(CostCounter, counts_beyond_64_bits_are_exact) {
  CostCounter counter;
  counter.begin(cube(63));
  for (int i = 0; i < 3; ++i) counter.step(CubeStep{{{{}, 0, 0, 0}}, {}, {}, {}});
  EXPECT_EQ(to_string(counter.cost().remote_moves), "27670116110564327424");
}

TEST(CostCounter, a_program_costs_its_unit_routes) {
  CostCounter counter;
  ScheduleHeader header = cube(0);
  header.machine = Mesh{{2, 2}, Mesh::Wrap::none, Mesh::Links::one_route};
  counter.begin(header);
  counter.step(MeshInstruction(MeshRoute{0, -3}));
  counter.step(MeshInstruction(MeshRoute{1, 2}));
  counter.step(MeshInstruction(MeshCopy{}));
  counter.step(MeshInstruction(MeshSwap{}));
  EXPECT_EQ(counter.cost().unit_routes, 5U);
  EXPECT_EQ(counter.cost().long_routes, 2U);
  EXPECT_EQ(counter.cost().register_ops, 2U);
}

TEST(CostCounter, a_slot_costs_when_it_sends_and_rounds_follow_the_busiest) {
  CostCounter counter;
  ScheduleHeader header = cube(0);
  header.machine = Pops{2, 2, false};
  counter.begin(header);
  PopsSlot slot;
  slot.sends = {{0, 0, {1}}};
  counter.step(slot);
  slot.sends = {{0, 0, {}}};
  counter.step(slot);
  slot.clear();
  slot.rules = {{{{0b11, 1}}, 0, {{0b01, 0}, {0b10, 0}}, 1}};
  counter.step(slot);
  slot.rules[0].where = {{0, 1}};
  using Kind = PopsOperation::Kind;
  slot.operations = {{Kind::multiply, 1, 2, 0, 1},
                     {Kind::add, 1, 2, 0, 1},
                     {Kind::copy, 1, 3, 2, 0},
                     {Kind::multiply_add, 0, 2, 0, 1},
                     {Kind::zero, 0, 2, 0, 0}};
  counter.step(slot);
  EXPECT_EQ(counter.cost().slots, 2U);
  EXPECT_EQ(counter.cost().compute_rounds, 2U);
}

TEST(Expand, rules_become_moves_and_nothing_else_changes) {
  RecordingSink recorded;
  ExpandingSink expand(recorded);
  CostCounter before;
  CostCounter after;
  TeeSink tee({&expand, &before});
  tee.begin(cube(3));
  CubeStep step;
  step.rules = {{{{0b101, 1}}, 0, 1, 2}};
  step.moves = {{7, 0, 7, 1}};
  tee.step(step);
  tee.finish();
  recorded.replay_into(after);
  EXPECT_EQ(
      recorded.cube_steps.at(0).moves,
      (std::vector<Move>{{7, 0, 7, 1}, {1, 0, 3, 2}, {3, 0, 1, 2}, {4, 0, 6, 2}, {6, 0, 4, 2}}));
  EXPECT_TRUE(recorded.cube_steps.at(0).rules.empty());
  EXPECT_EQ(before.cost(), after.cost());
}

std::string fingerprint(const RecordingSink& schedule) {
  Fingerprint print;
  schedule.replay_into(print);
  return print.text();
}

TEST(Fingerprint, is_the_same_everywhere_and_differs_where_schedules_do) {
  RecordingSink schedule;
  schedule.header = cube(3);
  schedule.cube_steps = {CubeStep{{{{{0b100, 1}}, 0, 1, 0}}, {}, {}, {}}};
  const std::string print = fingerprint(schedule);
  EXPECT_EQ(print, "4ce994292349b09e3dc4efef347e7e9e");
  RecordingSink same = schedule;
  same.header.planner = "another name";
  same.header.cost = Cost{};
  EXPECT_EQ(fingerprint(same), print);
  RecordingSink other = schedule;
  other.cube_steps[0].rules[0].where[0].value = 0;
  EXPECT_NE(fingerprint(other), print);
  other = schedule;
  other.header.slots = 2;
  EXPECT_NE(fingerprint(other), print);
  other = schedule;
  other.cube_steps.push_back({});
  EXPECT_NE(fingerprint(other), print);
}

}  // namespace
}  // namespace faro
