// Sorts: the passes are right by both verifiers at the promised cost, and broken ones are refused.
#include "faro/schedules/cost.hpp"
#include "full.hpp"
#include "machines/cube/butterfly_bound.hpp"
#include "machines/cube/verifiers.hpp"
#include "planners/cube/butterfly/planned.hpp"
#include "planners/cube/butterfly/planners.hpp"

namespace faro::butterfly {
namespace {

using faro::testing::first_violation;
using faro::testing::full_run;
using faro::testing::sanitized;

Offer sort_offer(const ButterflyNetwork& network) {
  return bitonic_sort.offer(
      Request::of(Hypercube{.dimensions = network.processor_bits}, BitonicSort{network}));
}

RecordingSink recorded(const ButterflyNetwork& network) {
  return faro::testing::recorded(sort_offer(network));
}

// Replay's and proof's.
std::vector<Verdict> verdicts_of(const RecordingSink& sort) {
  std::vector<Verdict> all;
  for (const auto& verifier : {butterfly_replay(), butterfly_proof()}) {
    sort.replay_into(*verifier);
    all.push_back(verifier->verdict());
  }
  return all;
}

// Every layout on n dimensions with 2^m elements a processor.
std::vector<ButterflyNetwork> layouts(int n, int m) {
  std::vector<ButterflyNetwork> all = faro::testing::requests(n, m);
  std::erase_if(all, [](const ButterflyNetwork& r) {
    const ButterflyNetwork plain;
    return r.order != plain.order || r.output != plain.output || r.finish != plain.finish;
  });
  return all;
}

TEST(butterfly_sorting, takes_two_steps_for_four_keys_on_two_processors) {
  const ButterflyNetwork request{
      .processor_bits = 1, .index_bits = 2, .allocation = Allocation::consecutive};
  EXPECT_EQ(to_string(sort_offer(request).estimate.cost.value), "2");
  EXPECT_EQ(to_string(sorting_bound(Hypercube{.dimensions = 1}, 2).value), "2");
}

TEST(butterfly_sorting, is_right_at_the_promised_cost) {
  const int n_max = full_run() ? 5 : (sanitized() ? 2 : 4);
  const int m_max = full_run() ? 5 : (sanitized() ? 2 : 4);
  int judged = 0;
  for (int n = 0; n <= n_max; ++n) {
    for (int m = 0; m <= m_max; ++m) {
      for (const ButterflyNetwork& request : layouts(n, m)) {
        SCOPED_TRACE(faro::testing::text_of(request));
        const Count promised = sort_offer(request).estimate.cost.value;
        for (const Verdict& verdict : verdicts_of(recorded(request))) {
          ASSERT_TRUE(verdict.ok()) << verdict.by << ": " << first_violation(verdict);
          EXPECT_EQ(to_string(verdict.cost.steps), to_string(promised)) << verdict.by;
        }
        EXPECT_GE(promised, sorting_bound(Hypercube{.dimensions = n}, n + m).value);
        ++judged;
      }
    }
  }
  EXPECT_EQ(judged, 8 * (n_max + 1) * (m_max + 1));
}

// Every step but those that move nothing and compute nothing is needed.
TEST(butterfly_sorting, is_refused_when_a_step_is_missing_or_done_twice) {
  int broken = 0;
  for (const ButterflyNetwork& request : layouts(2, 2)) {
    const RecordingSink right = recorded(request);
    for (std::size_t i = 0; i < right.cube_steps.size(); ++i) {
      const CubeStep& step = right.cube_steps[i];
      if (step.butterfly_rules.empty()) continue;
      RecordingSink missing = right;
      missing.cube_steps.erase(missing.cube_steps.begin() + static_cast<std::ptrdiff_t>(i));
      RecordingSink twice = right;
      twice.cube_steps[i].butterfly_rules.insert(twice.cube_steps[i].butterfly_rules.end(),
                                                 step.butterfly_rules.begin(),
                                                 step.butterfly_rules.end());
      for (const RecordingSink& wrong : {missing, twice}) {
        for (const Verdict& verdict : verdicts_of(wrong)) {
          EXPECT_EQ(verdict.answer, Verdict::Answer::no) << verdict.by << " step " << i;
        }
        ++broken;
      }
    }
  }
  EXPECT_GT(broken, 100);
}

TEST(butterfly_sorting, is_no_network_and_a_network_is_no_sort) {
  const ButterflyNetwork request{.processor_bits = 2, .index_bits = 4};
  RecordingSink sort = recorded(request);
  RecordingSink network = faro::testing::recorded("butterfly-local", request);
  for (RecordingSink* schedule : {&sort, &network}) {
    for (const Verdict& verdict : verdicts_of(*schedule)) EXPECT_TRUE(verdict.ok()) << verdict.by;
    auto& computation = std::get<ButterflyGoal>(schedule->header.goal).computation;
    computation =
        schedule == &sort ? ButterflyGoal::Computation::network : ButterflyGoal::Computation::sort;
    for (const Verdict& verdict : verdicts_of(*schedule))
      EXPECT_EQ(verdict.answer, Verdict::Answer::no) << verdict.by;
  }
}

TEST(butterfly_sorting, does_every_stage_of_every_pass_once) {
  for (const ButterflyNetwork& request : layouts(2, 2)) {
    class Pairs : public CompiledSink {
     public:
      std::vector<Count> of_pass;
      void begin(const ScheduleHeader&) override {}
      void begin_pass(int number) override {
        EXPECT_EQ(number, static_cast<int>(of_pass.size()));
        of_pass.push_back(0);
      }
      void step(const CompiledStep& step) override {
        for (const ButterflyRule& rule : step.step.butterfly_rules) {
          of_pass.back() += Count{4} >> static_cast<unsigned>(rule.where.size());
        }
      }
      void finish() override {}
    } pairs;
    sort_offer(request).compiled(pairs);
    EXPECT_EQ(pairs.of_pass, (std::vector<Count>{8, 16, 24, 32}));
  }
}

}  // namespace
}  // namespace faro::butterfly
