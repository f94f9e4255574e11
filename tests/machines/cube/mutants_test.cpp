// Mutants of good schedules: replay, proof and the literal judge of the tests must agree on each.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "full.hpp"
#include "machines/cube/reference.hpp"
#include "machines/cube/samples.hpp"
#include "machines/cube/verifiers.hpp"
#include "machines/mutator.hpp"
#include "machines/verdict_of.hpp"
#include "schedules/expand.hpp"

namespace faro {
namespace {

using testing::gray_schedule;
using testing::judge_cube;
using testing::Judgement;
using testing::Mutator;

RecordingSink expanded(const RecordingSink& schedule) {
  RecordingSink result;
  ExpandingSink expand(result);
  schedule.replay_into(expand);
  return result;
}

// The same schedule with every element's travels one after the other: legal with one port.
RecordingSink one_port(int n, int elements) {
  RecordingSink schedule = gray_schedule(n, elements, Hypercube::Ports::one);
  std::vector<CubeStep> steps;
  for (const CubeStep& step : schedule.cube_steps)
    for (const Rule& rule : step.rules) steps.push_back(CubeStep{{rule}, {}, {}, {}});
  schedule.cube_steps = steps;
  return schedule;
}

// Random legal steps with copies, stale data and refilled slots, and as the goal what they reach.
RecordingSink random_schedule(Random& random) {
  RecordingSink schedule;
  const int n = static_cast<int>(random.below(5));
  const auto ports = random.below(3) == 0 ? Hypercube::Ports::one : Hypercube::Ports::all;
  schedule.header.machine = Hypercube{n, ports};
  schedule.header.elements = 1 + random.below(3);
  schedule.header.slots = schedule.header.elements + random.below(3);
  schedule.header.goal = MovesGoal{};
  for (std::uint64_t t = 1 + random.below(6); t > 0; --t) {
    CubeStep step;
    for (std::uint64_t k = random.below(5); k > 0; --k) {
      CubeStep larger = step;
      Rule rule;
      for (std::uint64_t c = random.below(3); c > 0; --c)
        rule.where.push_back({random.below(bit(n)), static_cast<unsigned>(random.below(2))});
      rule.from = static_cast<Slot>(random.below(schedule.header.slots));
      rule.to = static_cast<Slot>(random.below(schedule.header.slots));
      rule.across = static_cast<int>(random.below(static_cast<std::uint64_t>(n) + 1)) - 1;
      larger.rules.push_back(rule);
      RecordingSink trial = schedule;
      trial.cube_steps.push_back(larger);
      if (judge_cube(trial).ok) step = larger;
    }
    schedule.cube_steps.push_back(step);
  }
  schedule.header.goal = MovesGoal{judge_cube(schedule).reached};
  return schedule;
}

class Agreement {
 public:
  void check(const RecordingSink& schedule, const std::string& what) {
    const Judgement truth = judge_cube(schedule);
    const Verdict replayed = testing::verdict_of(cube_replay(), schedule);
    const Verdict proved = testing::verdict_of(cube_proof(), schedule);
    ASSERT_EQ(replayed.ok(), truth.ok) << what << " " << message(replayed);
    ASSERT_EQ(proved.ok(), truth.ok) << what << " " << message(proved);
    ASSERT_NE(proved.answer, Verdict::Answer::unprovable) << proved.limit;
    ASSERT_EQ(replayed.cost, truth.cost) << what;
    ASSERT_EQ(proved.cost, truth.cost) << what;
    if (only_undelivered(replayed) && only_undelivered(proved)) {
      ASSERT_EQ(proved.delivered, replayed.delivered) << what;
    }
    ++(truth.ok ? right_ : wrong_)[what];
  }
  std::uint64_t right() const { return total(right_); }
  std::uint64_t wrong() const { return total(wrong_); }
  const std::map<std::string, std::uint64_t>& wrong_by_kind() const { return wrong_; }

 private:
  static bool only_undelivered(const Verdict& v) {
    return std::all_of(v.violations.begin(), v.violations.end(),
                       [](const Violation& one) { return one.rule == "not-delivered"; });
  }
  static std::string message(const Verdict& v) {
    return v.violations.empty() ? "" : v.violations[0].rule + ": " + v.violations[0].message;
  }
  static std::uint64_t total(const std::map<std::string, std::uint64_t>& counts) {
    std::uint64_t sum = 0;
    for (const auto& [what, count] : counts) sum += count;
    return sum;
  }
  std::map<std::string, std::uint64_t> right_;
  std::map<std::string, std::uint64_t> wrong_;
};

std::uint64_t mutants_wanted() {
  if (testing::full_run()) return 100'000;
  return testing::sanitized() ? 800 : 4'000;
}

TEST(CubeMutants, no_mutant_of_a_planned_schedule_is_wrongly_accepted_or_refused) {
  std::vector<RecordingSink> good;
  for (int n = 2; n <= 5; ++n)
    for (int elements = 1; elements <= 4; ++elements) {
      good.push_back(gray_schedule(n, elements));
      good.push_back(one_port(n, elements));
      if (n <= 4) good.push_back(expanded(gray_schedule(n, elements)));
      good.back().header.slots += static_cast<std::uint64_t>(elements % 2);
    }
  Agreement agreement;
  std::uint64_t seed = 0;
  for (const RecordingSink& schedule : good) {
    agreement.check(schedule, "good");
    Mutator mutator(++seed, schedule);
    for (std::uint64_t k = mutants_wanted() / good.size(); k > 0; --k) {
      const RecordingSink mutant = mutator.next();
      agreement.check(mutant, mutator.last());
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(agreement.right(), good.size());
  EXPECT_GT(agreement.wrong(), mutants_wanted() / 2);
  for (const char* kind :
       {"step dropped", "step repeated", "steps swapped", "steps merged", "rule dropped",
        "rule duplicated", "move dropped", "move duplicated", "move redirected", "targets swapped",
        "wrong slot", "wrong port", "wrong parity", "wrong mask"})
    EXPECT_TRUE(agreement.wrong_by_kind().contains(kind)) << kind;
}

TEST(CubeMutants, the_judges_agree_on_random_schedules_and_their_mutants) {
  Random random(11);
  Agreement agreement;
  for (std::uint64_t round = mutants_wanted() / 8; round > 0; --round) {
    const RecordingSink schedule = random_schedule(random);
    agreement.check(schedule, "good");
    if (HasFatalFailure()) return;
    Mutator mutator(random.next(), schedule);
    for (int k = 0; k < 7; ++k) {
      const RecordingSink mutant = mutator.next();
      agreement.check(mutant, mutator.last());
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GE(agreement.right(), mutants_wanted() / 8);
  EXPECT_GT(agreement.wrong(), mutants_wanted() / 4);
}

}  // namespace
}  // namespace faro
