// The verifiers of butterflies, held against broken schedules: one for every rule, the verdicts of
// an independent verifier on stored samples, and mutants judged by a third, naive one.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.hpp"
#include "faro/base/progress.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "machines/cube/butterfly_judge.hpp"
#include "paths.hpp"
#include "planners/cube/butterfly/planned.hpp"

namespace faro::testing {
namespace {

RecordingSink planned(int n, int m, Encoding encoding = Encoding::binary_gray,
                      Allocation allocation = Allocation::cyclic) {
  const ButterflyNetwork request{
      .processor_bits = n, .index_bits = n + m, .allocation = allocation, .encoding = encoding};
  RecordingSink schedule;
  plan(request_of(request), {.verify = VerifyBy::nobody}).push(schedule);
  return schedule;
}

// A schedule of rules, to be broken.
RecordingSink local_plan() {
  return recorded("butterfly-local",
                  {.processor_bits = 3, .index_bits = 5, .encoding = Encoding::binary_gray});
}

std::set<std::string> rules_of(const Verdict& v) {
  std::set<std::string> rules;
  for (const Violation& violation : v.violations) rules.insert(violation.rule);
  return rules;
}

// Both say no and name the rule.
void expect_broken(const RecordingSink& schedule, const std::string& rule) {
  for (const Verdict& v : {replayed(schedule), proved(schedule)}) {
    EXPECT_FALSE(v.ok()) << v.by << " accepts a schedule that breaks " << rule;
    EXPECT_TRUE(rules_of(v).contains(rule)) << v.by << ": " << first_violation(v);
  }
}

// The first step with a remote rule.
CubeStep& remote_step(RecordingSink& schedule) {
  for (CubeStep& step : schedule.cube_steps) {
    for (const Rule& rule : step.rules) {
      if (rule.across != inside) return step;
    }
  }
  throw std::logic_error("no remote step");
}

CubeStep& computing_step(RecordingSink& schedule) {
  for (CubeStep& step : schedule.cube_steps) {
    if (!step.butterfly_rules.empty()) return step;
  }
  throw std::logic_error("no computing step");
}

ButterflyGoal& goal_of(RecordingSink& schedule) {
  return std::get<ButterflyGoal>(schedule.header.goal);
}

TEST(butterfly_verifiers, accept_a_literal_network_of_two_elements) {
  // One element a processor: each sends its value to the other, each forms one result.
  RecordingSink schedule;
  schedule.header.machine = Hypercube{.dimensions = 1};
  ButterflyGoal goal;
  goal.processor_bits = goal.index_bits = 1;
  goal.final_processor_rows = {1};
  schedule.header.goal = goal;
  schedule.header.slots = 2;
  CubeStep step;
  step.moves = {{0, 0, 1, 1}, {1, 0, 0, 1}};
  step.butterflies = {{0, 0, 1, 0, ButterflyRule::Result::top, 0},
                      {1, 1, 0, 0, ButterflyRule::Result::bottom, 0}};
  schedule.cube_steps = {step};
  EXPECT_TRUE(replayed(schedule).ok()) << first_violation(replayed(schedule));
  EXPECT_TRUE(proved(schedule).ok()) << first_violation(proved(schedule));
  EXPECT_EQ(to_string(proved(schedule).cost.remote_moves), "2");
  schedule.cube_steps[0].butterflies[0] = {0, 1, 0, 0, ButterflyRule::Result::top, 0};
  expect_broken(schedule, "pair");
}

TEST(butterfly_verifiers, one_butterfly_in_place_in_one_processor) {
  RecordingSink schedule;
  schedule.header.machine = Hypercube{.dimensions = 0};
  ButterflyGoal goal;
  goal.index_bits = 1;
  goal.in_place = true;
  schedule.header.goal = goal;
  schedule.header.slots = 2;
  CubeStep step;
  step.butterflies = {{0, 0, 1, 0, ButterflyRule::Result::both, 0}};
  schedule.cube_steps = {step};
  EXPECT_TRUE(replayed(schedule).ok()) << first_violation(replayed(schedule));
  EXPECT_TRUE(proved(schedule).ok()) << first_violation(proved(schedule));
  schedule.cube_steps.clear();
  expect_broken(schedule, "in-place");
}

TEST(butterfly_verifiers, reject_numbers_beyond_the_machine) {
  const RecordingSink good = local_plan();
  const auto broken = [&](const std::string& rule, auto&& change) {
    RecordingSink bad = good;
    change(bad);
    expect_broken(bad, rule);
  };
  broken("dimension-range", [](auto& s) { remote_step(s).rules[0].across = 3; });
  broken("dimension-range", [](auto& s) { remote_step(s).rules[0].across = -2; });
  broken("slot-range", [](auto& s) { remote_step(s).rules[0].from = 4; });
  broken("slot-range", [](auto& s) { remote_step(s).rules[0].to = 400000; });
  broken("mask-range", [](auto& s) { remote_step(s).rules[0].where = {{8, 0}}; });
  broken("mask-range", [](auto& s) { computing_step(s).butterfly_rules[0].where = {{1, 2}}; });
  broken("butterfly-range", [](auto& s) { computing_step(s).butterfly_rules[0].stage = 5; });
  broken("butterfly-range", [](auto& s) { computing_step(s).butterfly_rules[0].stage = -1; });
  broken("butterfly-range", [](auto& s) { computing_step(s).butterfly_rules[0].low = 4; });
  broken("butterfly-range", [](auto& s) {
    ButterflyRule& rule = computing_step(s).butterfly_rules[0];
    rule.high = rule.low;
  });
  broken("proc-range", [](auto& s) { s.cube_steps[0].moves.push_back({8, 0, 8, 1}); });
  broken("not-a-link", [](auto& s) { s.cube_steps[0].moves.push_back({0, 0, 3, 0}); });
  broken("goal", [](auto& s) { goal_of(s).final_processor_rows.pop_back(); });
  broken("goal", [](auto& s) { goal_of(s).final_processor_rows[0] |= 64; });
  broken("goal", [](auto& s) { goal_of(s).final_memory_rows->push_back(1); });
  broken("goal", [](auto& s) { goal_of(s).processor_bits = 2; });
  broken("goal", [](auto& s) { s.header.slots = 3; });
}

TEST(butterfly_verifiers, reject_every_breach_of_the_machine) {
  const RecordingSink good = local_plan();
  const auto broken = [&](const std::string& rule, auto&& change) {
    RecordingSink bad = good;
    change(bad);
    expect_broken(bad, rule);
  };
  broken("link-twice", [](auto& s) {
    Rule again = remote_step(s).rules[0];
    again.to ^= 1U;
    s.header.slots = 8;
    again.to += 4;
    remote_step(s).rules.push_back(again);
  });
  broken("two-writes", [](auto& s) {
    s.cube_steps[0].rules.push_back({{}, 0, inside, 1});
    s.cube_steps[0].rules.push_back({{{1, 0}}, 2, inside, 1});
  });
  broken("reads-empty", [](auto& s) {
    s.header.slots = 5;
    remote_step(s).rules[0].from = 4;
  });
  broken("reads-empty", [](auto& s) {
    s.header.slots = 5;
    computing_step(s).butterfly_rules[0].low = 4;
  });
  broken("one-port", [](auto& s) {
    s.header.machine = Hypercube{.dimensions = 3, .ports = Hypercube::Ports::one};
  });
  broken("cost-claim", [](auto& s) {
    Cost claim;
    claim.steps = 3;
    s.header.cost = claim;
  });
  broken("bound-claim", [](auto& s) { s.header.bound = Bound{9, "a wish", {}}; });
}

TEST(butterfly_verifiers, reject_every_wrong_computation) {
  const RecordingSink good = local_plan();
  const auto broken = [&](const std::string& rule, auto&& change) {
    RecordingSink bad = good;
    change(bad);
    expect_broken(bad, rule);
  };
  broken("pair", [](auto& s) {
    ButterflyRule& rule = computing_step(s).butterfly_rules[0];
    std::swap(rule.low, rule.high);
  });
  broken("stage", [](auto& s) { computing_step(s).butterfly_rules[0].stage = 1; });
  broken("stage", [](auto& s) {
    auto& rules = computing_step(s).butterfly_rules;
    rules.push_back(rules[0]);
  });
  broken("not-delivered", [](auto& s) {
    s.cube_steps.back().butterfly_rules.clear();
    s.cube_steps.pop_back();
  });
  broken("not-delivered", [](auto& s) {
    std::swap(goal_of(s).final_processor_rows[0], goal_of(s).final_processor_rows[1]);
  });
  broken("in-place", [](auto& s) {
    ButterflyRule& rule = computing_step(s).butterfly_rules[0];
    rule.result = ButterflyRule::Result::top;
    rule.to = rule.low;
  });
}

TEST(butterfly_verifiers, hold_replicas_against_in_place) {
  RecordingSink replicas = planned(3, 0);
  EXPECT_TRUE(replayed(replicas).ok());
  goal_of(replicas).in_place = true;
  expect_broken(replicas, "in-place");
}

// ---- samples ----

class Breaches : public ReadListener {
 public:
  int count = 0;
  void breach(Count, const std::string&, const std::string&) override { ++count; }
  void warning(const std::string&) override {}
};

Verdict read_into(const std::string& text, std::unique_ptr<Verifier> verifier) {
  TextSource source(text);
  Breaches breaches;
  read_schedule(source, *verifier, {}, breaches);
  EXPECT_EQ(breaches.count, 0);
  return verifier->verdict();
}

TEST(butterfly_verifiers, agree_with_an_independent_verifier_on_stored_samples) {
  std::ifstream file(source_path("tests/data/butterfly_samples.json"));
  const auto samples = nlohmann::json::parse(file).at("samples");
  ASSERT_GT(samples.size(), 100U);
  for (const auto& sample : samples) {
    const std::string text = sample.at("schedule").dump();
    // Keys come sorted out of the parser; the steps must be last.
    nlohmann::ordered_json ordered = nlohmann::ordered_json::object();
    for (const char* key : {"format", "machine", "problem", "elements", "slots", "steps"}) {
      ordered[key] = nlohmann::ordered_json::parse(sample.at("schedule").at(key).dump());
    }
    const bool right = sample.at("ok").get<bool>();
    const Verdict replay = read_into(ordered.dump(), make_replay());
    const Verdict proof = read_into(ordered.dump(), make_proof());
    EXPECT_EQ(replay.ok(), right) << first_violation(replay) << text;
    EXPECT_EQ(proof.ok(), right) << first_violation(proof) << text;
  }
}

// ---- mutants ----

// One random change.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  void mutate(RecordingSink& s) {
    for (;;) {
      CubeStep& step = s.cube_steps[random_.below(s.cube_steps.size())];
      const auto kind = random_.below(20);
      if (kind < 9 ? moves(s, step, kind) : computes(s, step, kind - 9)) return;
    }
  }

 private:
  template <class T>
  T& any(std::vector<T>& list) {
    return list[random_.below(list.size())];
  }
  void conditions(std::vector<Parity>& where, int n) {
    const auto kind = random_.below(3);
    const Word mask = random_.below(bit(n));
    if (where.empty() || kind == 0) {
      where.push_back({mask, static_cast<unsigned>(random_.below(2))});
    } else if (kind == 1) {
      any(where).value ^= 1U;
    } else {
      any(where).mask = mask;
    }
  }
  Slot slot(const RecordingSink& s) { return static_cast<Slot>(random_.below(s.header.slots)); }

  bool moves(RecordingSink& s, CubeStep& step, std::uint64_t kind) {
    const int n = goal_of(s).processor_bits;
    if (step.rules.empty()) return false;
    Rule& rule = any(step.rules);
    switch (kind) {
      case 0:
        step.rules.erase(step.rules.begin() + (&rule - step.rules.data()));
        return true;
      case 1:
        any(s.cube_steps).rules.push_back(Rule(rule));
        return true;
      case 2:
        rule.from = slot(s);
        return true;
      case 3:
        rule.to = slot(s);
        return true;
      case 4:
        rule.across = static_cast<int>(random_.below(static_cast<Word>(n) + 1)) - 1;
        return true;
      case 5:
        std::swap(rule.to, any(step.rules).to);
        return true;
      case 6:
        std::swap(rule.from, rule.to);
        return true;
      default:
        conditions(rule.where, n);
        return true;
    }
  }
  bool computes(RecordingSink& s, CubeStep& step, std::uint64_t kind) {
    ButterflyGoal& goal = goal_of(s);
    if (kind == 9) {
      any(goal.final_processor_rows) ^=
          bit(static_cast<int>(random_.below(static_cast<Word>(goal.index_bits))));
      return true;
    }
    if (kind == 10) {
      std::swap(step, any(s.cube_steps));
      return true;
    }
    if (step.butterfly_rules.empty()) return false;
    ButterflyRule& rule = any(step.butterfly_rules);
    switch (kind) {
      case 0:
        step.butterfly_rules.erase(step.butterfly_rules.begin() +
                                   (&rule - step.butterfly_rules.data()));
        return true;
      case 1:
        any(s.cube_steps).butterfly_rules.push_back(ButterflyRule(rule));
        return true;
      case 2:
        std::swap(rule.low, rule.high);
        return true;
      case 3:
        rule.low = slot(s);
        return true;
      case 4:
        rule.high = slot(s);
        return true;
      case 5:
        rule.stage = static_cast<int>(random_.below(static_cast<Word>(goal.index_bits)));
        return true;
      case 6:
        rule.result = static_cast<ButterflyRule::Result>(random_.below(3));
        return true;
      case 7:
        std::swap(rule, any(step.butterfly_rules));
        return true;
      default:
        conditions(rule.where, goal.processor_bits);
        return true;
    }
  }

  Random random_;
};

TEST(butterfly_verifiers, judge_mutants_as_a_naive_judge_does) {
  const int wanted = full_run() ? 100000 : (sanitized() ? 100 : 4000);
  std::vector<RecordingSink> whole;
  for (int n = 1; n <= 3; ++n) {
    for (int m = 0; m <= 3 && n + m <= 5; ++m) {
      for (const ButterflyNetwork& request : requests(n, m)) {
        for (const Planner* planner : butterfly_planners()) {
          const Request asked = request_of(request);
          if (!planner->refusal(asked)) whole.push_back(recorded(planner->offer(asked)));
        }
      }
    }
  }
  Random random(20);
  int accepted = 0;
  int unprovable = 0;
  for (int i = 0; i < wanted; ++i) {
    SCOPED_TRACE(fmt::format("mutant {}", i));
    RecordingSink mutant = whole[random.below(whole.size())];
    Mutator mutator(static_cast<std::uint64_t>(i));
    mutator.mutate(mutant);
    if (random.below(4) == 0) mutator.mutate(mutant);
    const bool right = Naive(mutant).right();
    const Verdict replay = replayed(mutant);
    const Verdict proof = proved(mutant);
    ASSERT_FALSE(replay.ok() && !right) << "replay accepts a wrong schedule";
    ASSERT_EQ(replay.ok(), proof.ok())
        << first_violation(replay) << " / " << first_violation(proof);
    accepted += replay.ok() ? 1 : 0;
    unprovable += proof.answer == Verdict::Answer::unprovable ? 1 : 0;
  }
  EXPECT_EQ(unprovable, 0);
  // Many changes put back what was there; more than these would mean a blind verifier.
  EXPECT_LT(accepted, wanted / 3);
}

TEST(butterfly_verifiers, prove_networks_on_2_to_the_40_processors) {
  for (const auto encoding : {Encoding::binary, Encoding::gray, Encoding::binary_gray}) {
    for (const auto allocation : {Allocation::consecutive, Allocation::cyclic}) {
      const RecordingSink schedule = planned(40, 3, encoding, allocation);
      const Verdict proof = proved(schedule);
      EXPECT_TRUE(proof.ok()) << first_violation(proof);
      EXPECT_EQ(proof.delivered, Count{1} << 43U);
      RecordingSink bad = schedule;
      Rule& rule = remote_step(bad).rules[0];
      rule.to ^= 1U;
      EXPECT_FALSE(proved(bad).ok());
    }
  }
}

}  // namespace
}  // namespace faro::testing
