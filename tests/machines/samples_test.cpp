// Elements followed back: whatever is wrong of a sample is wrong by replay, and what is wrong of
// many elements is found.
#include "machines/samples.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faro/planners/planner.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "machines/loop_mutator.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

using testing::has_slots;
using testing::judged;
using testing::Looped;
using testing::LoopMutator;
using testing::rolled_up;

TEST(Samples, of_plans_and_their_mutants_are_wrong_only_where_replay_says_so) {
  std::size_t good = 0;
  std::size_t found = 0;
  std::size_t undelivered = 0;
  std::uint64_t seed = 900;
  for (const auto& [map, machine, elements] :
       {std::tuple("a:4 -> ungray(a)", "cube:4", 33), std::tuple("a:3 -> rev(a)", "cube:3", 30),
        std::tuple("p:2 | m:5 -> m[1:0] | m[4:2] p", "cube:2", 32),
        std::tuple("i:4 -> ungray(i)", "pops:2,8", 21), std::tuple("i:3 -> ~i", "ranks:8", 22),
        std::tuple("i:4 -> rev(i)", "torus:4x4,all-links", 20)})
    for (const Planner* planner : catalogue()) {
      const Request request = Request::of(map, machine, static_cast<std::uint64_t>(elements));
      rolled::Kinds kinds;
      const auto schedule = rolled_up(*planner, request, kinds);
      if (!schedule) continue;
      const std::string name = fmt::format("{} by {}", map, planner->name());
      const Verdict right = judged(make_samples(300), *schedule, kinds);
      EXPECT_EQ(right.answer, Verdict::Answer::unprovable) << name << testing::words_of(right);
      EXPECT_EQ(right.delivered, Count{300}) << name << right.limit;
      ++good;
      for (int round = 0; round < (testing::full_run() ? 500 : 20); ++round) {
        Looped mutant = *schedule;
        LoopMutator mutator(++seed);
        if (!mutator.change(mutant) || !has_slots(mutant)) continue;
        const Verdict replay = judged(make_replay(), mutant, kinds);
        const Verdict samples = judged(make_samples(300), mutant, kinds);
        if (samples.answer == Verdict::Answer::no) {
          ++found;
          ASSERT_FALSE(replay.ok()) << name << " seed " << seed << testing::words_of(samples);
        }
        // Of a tenth of all elements one is among 300.
        const bool all_else_right =
            !replay.violations.empty() && (replay.violations[0].rule == "not-delivered" ||
                                           replay.violations[0].rule == "delivery");
        if (all_else_right && replay.delivered * 10 < replay.expected * 9) {
          ++undelivered;
          EXPECT_EQ(samples.answer, Verdict::Answer::no)
              << name << " seed " << seed << testing::words_of(replay) << samples.limit;
        }
      }
    }
  EXPECT_GT(good, 10U);
  EXPECT_GT(found, 50U);
  EXPECT_GT(undelivered, 10U);
}

// Strides that no proof takes: what is wrong is found, and nothing is called right.
TEST(Samples, are_followed_through_a_billion_laps_that_are_not_proved) {
  constexpr std::int64_t many = 1000000000;
  rolled::Kinds kinds;
  const std::uint32_t stays = kinds.of(Rule{{}, 0, inside, 0});
  const std::uint32_t crosses = kinds.of(Rule{{}, 0, 0, 0});
  Looped schedule;
  schedule.header.machine = machine_from("cube:1");
  schedule.header.goal = MapGoal{BitMap::identity(1)};
  schedule.header.elements = many;
  schedule.header.slots = many;
  schedule.header.entries = ScheduleHeader::Entries::loops;
  schedule.entries = {{many / 101, {{{stays, 0, 0, 97, 97}, {stays, 1, 1, 101, 101}}}}};
  EXPECT_EQ(judged(make_samples(1000), schedule, kinds).delivered, Count{1000});
  schedule.entries.push_back({many / 7, {{{crosses, 3, 3, 7, 7}}}});
  const Verdict verdict = judged(make_samples(1000), schedule, kinds);
  EXPECT_EQ(verdict.answer, Verdict::Answer::no) << verdict.limit;
  EXPECT_EQ(verdict.by, "samples");
}

}  // namespace
}  // namespace faro
