// The proof of loops: its verdict is that of replay on the laps written out, for schedules of
// planners rolled up and for their mutants.
#include "machines/loop_proof.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "faro/planners/planner.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "machines/loop_mutator.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

using Answer = Verdict::Answer;
using rolled::Kinds;
using testing::has_slots;
using testing::judged;
using testing::Looped;
using testing::LoopMutator;
using testing::rolled_up;

struct Question {
  const char* map;
  const char* machine;
  std::uint64_t elements;
};
constexpr Question questions[] = {
    {"a:3 -> ungray(a)", "cube:3", 40},
    {"a:4 -> ungray(a)", "cube:4", 33},
    {"a:4 -> rev(a)", "cube:4", 30},
    {"a:3 -> gray(a)", "cube:3,one-port", 25},
    {"a:4 -> ~a", "cube:4,2-ports", 24},
    {"p:3 | m:5 -> p[2:1] m[0] | m[4:1] p[0]", "cube:3", 32},
    {"p:2 | m:5 -> m[1:0] | m[4:2] p", "cube:2", 32},
    {"p:2 | m:5 -> m[1:0] | m[4:2] p", "cube:2,one-port", 32},
    {"i:4 -> rev(i)", "pops:4,4", 20},
    {"i:4 -> ungray(i)", "pops:2,8", 21},
    {"i:3 -> ~i", "ranks:8", 22},
    {"i:4 -> ~i", "torus:4x4,all-links", 20},
    {"i:4 -> rev(i)", "mesh:4x4,all-links", 16},
};

// Replay and proof on one schedule.
struct Agreement {
  std::size_t right = 0;
  std::size_t wrong = 0;
  std::size_t unproved = 0;
  void check(const Looped& schedule, const Kinds& kinds, const std::string& what) {
    const Verdict replay = judged(make_replay(), schedule, kinds);
    const Verdict proof = judged(loop_proof(), schedule, kinds);
    if (proof.answer == Answer::unprovable) {
      ++unproved;
      return;
    }
    ASSERT_EQ(proof.ok(), replay.ok()) << what << "\n"
                                       << testing::words_of(proof) << "\n"
                                       << testing::words_of(replay);
    ++(replay.ok() ? right : wrong);
    const auto undelivered = [](const Verdict& v) {
      for (const Violation& one : v.violations)
        if (one.rule != "not-delivered" && one.rule != "delivery") return false;
      return true;
    };
    if (undelivered(replay) && undelivered(proof)) {
      ASSERT_EQ(proof.delivered, replay.delivered) << what;
      ASSERT_EQ(proof.cost, replay.cost) << what;
    } else {
      ASSERT_FALSE(proof.violations.empty());
      ASSERT_EQ(proof.violations[0].step, replay.violations[0].step)
          << what << "\n"
          << testing::words_of(proof) << "\n"
          << testing::words_of(replay);
    }
  }
};

TEST(LoopProof, verdicts_are_those_of_replay_for_what_planners_make_and_for_its_mutants) {
  Agreement all;
  std::set<std::string_view> planners;
  std::set<std::uint64_t> changes;
  std::uint64_t seed = 0;
  const int mutants = testing::full_run() ? 2000 : testing::sanitized() ? 4 : 40;
  for (const Question& q : questions)
    for (const Planner* planner : catalogue()) {
      Kinds kinds;
      const auto good = rolled_up(*planner, Request::of(q.map, q.machine, q.elements), kinds);
      const auto loops = [](const rolled::Entry& entry) { return entry.laps > 1; };
      if (!good || std::none_of(good->entries.begin(), good->entries.end(), loops)) continue;
      planners.insert(planner->name());
      const std::string name = fmt::format("{} on {} by {}", q.map, q.machine, planner->name());
      Agreement own;
      own.check(*good, kinds, name);
      if (HasFatalFailure()) return;
      EXPECT_EQ(own.right, 1U) << name << testing::words_of(judged(loop_proof(), *good, kinds));
      for (int round = 0; round < mutants; ++round) {
        Looped mutant = *good;
        LoopMutator mutator(++seed);
        if (!mutator.change(mutant) || !has_slots(mutant)) continue;
        changes.insert(mutator.kind());
        own.check(mutant, kinds,
                  fmt::format("{}, mutant {} of seed {}", name, mutator.kind(), seed));
        if (HasFatalFailure()) return;
      }
      all.right += own.right;
      all.wrong += own.wrong;
      all.unproved += own.unproved;
    }
  EXPECT_GT(planners.size(), 25U);
  EXPECT_EQ(changes.size(), 12U);
  EXPECT_EQ(all.unproved, 0U);
  EXPECT_GT(all.right, planners.size());
  EXPECT_GT(all.wrong, all.right / 2);
  RecordProperty("planners", static_cast<int>(planners.size()));
  RecordProperty("right", static_cast<int>(all.right));
  RecordProperty("wrong", static_cast<int>(all.wrong));
}

}  // namespace
}  // namespace faro
