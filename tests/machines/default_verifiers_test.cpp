// Which verifiers judge a schedule of which size.
#include "machines/default_verifiers.hpp"

#include <gtest/gtest.h>

#include "faro/base/limits.hpp"

namespace faro {
namespace {

// Copies of the elements of processor 0 and its neighbour pass through transit slots; nothing else
// moves, so that the identity is performed.
struct Case {
  int dimensions = 4;
  std::uint64_t steps = 1;
  bool in_rules = false;
};
DefaultVerifiers watched(const Case& c) {
  ScheduleHeader header;
  header.machine = Hypercube{.dimensions = c.dimensions, .ports = Hypercube::Ports::all};
  header.goal = MapGoal{.map = BitMap::identity(c.dimensions)};
  header.slots = 2;
  DefaultVerifiers verifiers;
  verifiers.begin(header);
  CubeStep step;
  if (c.in_rules)
    step.rules.push_back({.where = {}, .from = 0, .across = 0, .to = 1});
  else
    step.moves = {{0, 0, 1, 1}, {1, 0, 0, 1}};
  for (std::uint64_t i = 0; i < c.steps; ++i) verifiers.step(step);
  verifiers.finish();
  return verifiers;
}

TEST(DefaultVerifiers, both_judge_what_is_small) {
  for (const bool in_rules : {false, true}) {
    const DefaultVerifiers both = watched({.in_rules = in_rules});
    ASSERT_TRUE(both.proof() && both.replay());
    EXPECT_TRUE(both.proof()->ok() && both.replay()->ok());
  }
}

TEST(DefaultVerifiers, both_judge_however_many_moves) {
  const DefaultVerifiers both = watched({.steps = 20000});
  ASSERT_TRUE(both.proof() && both.replay());
  EXPECT_TRUE(both.proof()->ok() && both.replay()->ok());
  EXPECT_EQ(both.proof()->cost, both.replay()->cost);
}

TEST(DefaultVerifiers, above_the_default_of_replay_rules_are_proved_and_moves_replayed) {
  const int large = limits::replay_default_log2_max + 1;
  const DefaultVerifiers rules = watched({.dimensions = large, .in_rules = true});
  EXPECT_TRUE(rules.proof().has_value());
  EXPECT_FALSE(rules.replay().has_value());
  const DefaultVerifiers moves = watched({.dimensions = large});
  EXPECT_FALSE(moves.proof().has_value());
  ASSERT_TRUE(moves.replay().has_value());
  EXPECT_TRUE(moves.replay()->ok());
  // Where replay is impossible, proof judges moves too.
  const DefaultVerifiers huge = watched({.dimensions = 60});
  EXPECT_FALSE(huge.replay().has_value());
  ASSERT_TRUE(huge.proof().has_value());
  EXPECT_TRUE(huge.proof()->ok());
}

// Two processors of each pair exchange slot 0, lap after lap: all, or one pair.
DefaultVerifiers in_loops(int dimensions, std::uint64_t laps, std::vector<Parity> where = {}) {
  ScheduleHeader header;
  header.machine = Hypercube{.dimensions = dimensions, .ports = Hypercube::Ports::all};
  header.goal = MapGoal{.map = BitMap::identity(dimensions)};
  header.entries = ScheduleHeader::Entries::loops;
  DefaultVerifiers verifiers;
  verifiers.begin(header);
  CubeLoop loop;
  loop.laps = laps;
  loop.body = {{CubeStep{{{std::move(where), 0, 0, 0}}, {}, {}, {}}, {{}}}};
  verifiers.loop(loop);
  verifiers.finish();
  return verifiers;
}

TEST(DefaultVerifiers, replay_steps_back_where_loops_move_many_elements) {
  const DefaultVerifiers few = in_loops(4, 1000);
  ASSERT_TRUE(few.proof() && few.replay());
  EXPECT_TRUE(few.proof()->ok() && few.replay()->ok());
  const DefaultVerifiers many = in_loops(20, std::uint64_t{1} << 23U);
  EXPECT_FALSE(many.replay().has_value());
  ASSERT_TRUE(many.proof().has_value());
  EXPECT_TRUE(many.proof()->ok());
  EXPECT_EQ(many.proof()->cost.steps, Count{1} << 23U);
  std::vector<Parity> alone;
  for (int b = 1; b < 20; ++b) alone.push_back({bit(b), 1});
  const DefaultVerifiers narrow = in_loops(20, std::uint64_t{1} << 20U, alone);
  EXPECT_FALSE(narrow.replay().has_value());
  ASSERT_TRUE(narrow.proof().has_value());
  EXPECT_TRUE(narrow.proof()->ok());
}

TEST(DefaultVerifiers, no_step_is_judged_too) {
  const DefaultVerifiers none = watched({.steps = 0});
  ASSERT_TRUE(none.proof() && none.replay());
  EXPECT_TRUE(none.proof()->ok() && none.replay()->ok());
}

}  // namespace
}  // namespace faro
