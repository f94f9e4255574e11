// The verifiers of butterflies, held against broken schedules: one for every rule, the verdicts of
// an independent verifier on stored samples, and mutants judged by a third, naive one.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "faro/base/progress.hpp"
#include "faro/schedules/json.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "machines/cube/butterfly_judge.hpp"
#include "machines/mutator.hpp"
#include "machines/verdict_of.hpp"
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

// Both say no and name the rule.
void expect_broken(const RecordingSink& good, const std::vector<Hostile>& changes) {
  for (const auto& [rule, change] : changes) {
    RecordingSink bad = good;
    change(bad);
    for (const Verdict& v : {replayed(bad), proved(bad)}) {
      EXPECT_FALSE(v.ok()) << v.by << " accepts a schedule that breaks " << rule;
      EXPECT_TRUE(rules_of(v).contains(rule)) << v.by << ": " << first_violation(v);
    }
  }
}
void expect_right(const RecordingSink& schedule) {
  EXPECT_TRUE(replayed(schedule).ok()) << first_violation(replayed(schedule));
  EXPECT_TRUE(proved(schedule).ok()) << first_violation(proved(schedule));
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
  expect_right(schedule);
  EXPECT_EQ(to_string(proved(schedule).cost.remote_moves), "2");
  const auto swapped = [](auto& s) {
    std::swap(s.cube_steps[0].butterflies[0].low, s.cube_steps[0].butterflies[0].high);
  };
  expect_broken(schedule, {{"pair", swapped}});
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
  expect_right(schedule);
  expect_broken(schedule, {{"in-place", [](auto& s) { s.cube_steps.clear(); }}});
}

TEST(butterfly_verifiers, reject_numbers_beyond_the_machine) {
  const std::vector<Hostile> changes = {
      {"dimension-range", [](auto& s) { remote_step(s).rules[0].across = 3; }},
      {"dimension-range", [](auto& s) { remote_step(s).rules[0].across = -2; }},
      // Though nobody meets it.
      {"dimension-range",
       [](auto& s) {
         s.cube_steps[0].rules.push_back({{{1, 0}, {1, 1}}, 0, 3, 0});
       }},
      {"slot-range", [](auto& s) { remote_step(s).rules[0].from = 4; }},
      {"slot-range", [](auto& s) { remote_step(s).rules[0].to = 400000; }},
      {"mask-range",
       [](auto& s) {
         remote_step(s).rules[0].where.assign(1, {8, 0});
       }},
      {"mask-range",
       [](auto& s) {
         computing_step(s).butterfly_rules[0].where.assign(1, {1, 2});
       }},
      {"butterfly-range", [](auto& s) { computing_step(s).butterfly_rules[0].stage = 5; }},
      {"butterfly-range", [](auto& s) { computing_step(s).butterfly_rules[0].stage = -1; }},
      {"butterfly-range", [](auto& s) { computing_step(s).butterfly_rules[0].low = 4; }},
      {"butterfly-range",
       [](auto& s) {
         ButterflyRule& rule = computing_step(s).butterfly_rules[0];
         rule.high = rule.low;
       }},
      {"proc-range",
       [](auto& s) {
         s.cube_steps[0].moves.push_back({8, 0, 8, 1});
       }},
      {"not-a-link",
       [](auto& s) {
         s.cube_steps[0].moves.push_back({0, 0, 3, 0});
       }},
      {"goal", [](auto& s) { goal_of(s).final_processor_rows.pop_back(); }},
      {"goal", [](auto& s) { goal_of(s).final_processor_rows[0] |= 64; }},
      {"goal", [](auto& s) { goal_of(s).final_memory_rows->push_back(1); }},
      {"goal", [](auto& s) { goal_of(s).processor_bits = 2; }},
      {"goal", [](auto& s) { s.header.slots = 3; }}};
  expect_broken(local_plan(), changes);
}

TEST(butterfly_verifiers, reject_every_breach_of_the_machine) {
  const std::vector<Hostile> changes = {
      {"link-twice",
       [](auto& s) {
         Rule again = remote_step(s).rules[0];
         again.to ^= 1U;
         s.header.slots = 8;
         again.to += 4;
         remote_step(s).rules.push_back(again);
       }},
      {"two-writes",
       [](auto& s) {
         s.cube_steps[0].rules.push_back({{}, 0, inside, 1});
         s.cube_steps[0].rules.push_back({{{1, 0}}, 2, inside, 1});
       }},
      {"reads-empty",
       [](auto& s) {
         s.header.slots = 5;
         remote_step(s).rules[0].from = 4;
       }},
      {"reads-empty",
       [](auto& s) {
         s.header.slots = 5;
         computing_step(s).butterfly_rules[0].low = 4;
       }},
      {"one-port",
       [](auto& s) {
         s.header.machine = Hypercube{.dimensions = 3, .ports = Hypercube::Ports::one};
       }},
      {"ports",
       [](auto& s) {
         s.header.machine = Hypercube{.dimensions = 3, .ports = Hypercube::Ports{2}};
         for (const Slot d : {0U, 1U, 2U})
           s.cube_steps[0].moves.push_back({0, d, bit(static_cast<int>(d)), d});
       }},
      {"cost-claim", [](auto& s) { s.header.cost = CostClaim(Cost{.steps = 3}); }},
      {"bound-claim", [](auto& s) {
         s.header.bound = Bound{9, "a wish", {}};
       }}};
  expect_broken(local_plan(), changes);
}

TEST(butterfly_verifiers, reject_every_wrong_computation) {
  const std::vector<Hostile> changes = {
      {"pair",
       [](auto& s) {
         ButterflyRule& rule = computing_step(s).butterfly_rules[0];
         std::swap(rule.low, rule.high);
       }},
      {"stage", [](auto& s) { computing_step(s).butterfly_rules[0].stage = 1; }},
      {"stage",
       [](auto& s) {
         auto& rules = computing_step(s).butterfly_rules;
         rules.push_back(rules[0]);
       }},
      {"not-delivered",
       [](auto& s) {
         s.cube_steps.back().butterfly_rules.clear();
         s.cube_steps.pop_back();
       }},
      {"not-delivered",
       [](auto& s) {
         std::swap(goal_of(s).final_processor_rows[0], goal_of(s).final_processor_rows[1]);
       }},
      {"in-place", [](auto& s) {
         ButterflyRule& rule = computing_step(s).butterfly_rules[0];
         rule.result = ButterflyRule::Result::top;
         rule.to = rule.low;
       }}};
  expect_broken(local_plan(), changes);
}

TEST(butterfly_verifiers, hold_replicas_against_in_place) {
  RecordingSink replicas = planned(3, 0);
  EXPECT_TRUE(replayed(replicas).ok());
  expect_broken(replicas, {{"in-place", [](auto& s) { goal_of(s).in_place = true; }}});
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

// Stages 2, 1, 2 of some processors come before stage 2 of all, which is the first of the others.
TEST(butterfly_verifiers, accept_a_rule_for_processors_at_different_stages_of_a_sort) {
  std::ifstream file(source_path("tests/data/sort_of_eight.json"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const auto make : {make_replay, make_proof}) {
    const Verdict verdict = read_into(text, make());
    EXPECT_TRUE(verdict.ok()) << first_violation(verdict);
  }
}

// 40 rules of 3 conditions have more sets of 20 in common than anybody goes through.
TEST(butterfly_verifiers, give_up_where_ports_would_take_too_many_comparisons) {
  constexpr int n = 40;
  Random random(1);
  RecordingSink schedule = planned(n, 0);
  schedule.header.machine = Hypercube{.dimensions = n, .ports = Hypercube::Ports{20}};
  schedule.header.slots = n + 1;
  schedule.cube_steps.resize(1);
  schedule.cube_steps[0].clear();
  for (int d = 0; d < n; ++d) {
    Rule rule{.where = {}, .from = 0, .across = d, .to = static_cast<Slot>(d + 1)};
    for (int c = 0; c < 3; ++c)
      rule.where.push_back(
          {random.next() & low_mask(n) & ~bit(d), static_cast<unsigned>(random.below(2))});
    schedule.cube_steps[0].rules.push_back(rule);
  }
  const Verdict verdict = proved(schedule);
  EXPECT_EQ(verdict.answer, Verdict::Answer::unprovable) << first_violation(verdict);
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
    const RecordingSink& good = whole[random.below(whole.size())];
    RecordingSink mutant = Mutator(random.next(), good).next();
    if (random.below(4) == 0) mutant = Mutator(random.next(), RecordingSink(mutant)).next();
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
