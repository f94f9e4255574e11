#include "faro/transforms/sorting.hpp"

#include "faro/transforms/traffic.hpp"
#include "full.hpp"
#include "machines/cube/butterfly_bound.hpp"
#include "planners/cube/butterfly/planned.hpp"

namespace faro::butterfly {
namespace {

using faro::testing::first_violation;
using faro::testing::full_run;
using faro::testing::sanitized;

RecordingSink recorded(const ButterflyNetwork& request) {
  RecordingSink schedule;
  ToSchedule sink(schedule);
  build_sort(request, sink);
  return schedule;
}

// The schedule as one that only moves data: every index from its start to its end.
RecordingSink moves_of(const RecordingSink& sort) {
  const auto goal = std::get<ButterflyGoal>(sort.header.goal);
  MovesGoal moves;
  moves.moves.resize(bit(goal.index_bits));
  Placement::start(goal).for_each([&](Word index, Word q, Word s) {
    moves.moves[index].from_processor = q;
    moves.moves[index].from_slot = static_cast<Slot>(s);
  });
  Placement::finish(goal).for_each([&](Word index, Word q, Word s) {
    moves.moves[index].to_processor = q;
    moves.moves[index].to_slot = static_cast<Slot>(s);
  });
  RecordingSink plain = sort;
  plain.header.goal = moves;
  for (CubeStep& step : plain.cube_steps) step.butterfly_rules.clear();
  return plain;
}

// Every layout on n dimensions with 2^m elements a processor.
std::vector<ButterflyNetwork> layouts(int n, int m) {
  std::vector<ButterflyNetwork> all;
  for (const auto allocation : {Allocation::consecutive, Allocation::cyclic}) {
    for (const auto encoding :
         {Encoding::binary, Encoding::gray, Encoding::gray_gray, Encoding::binary_gray}) {
      all.push_back(sort_request({.processor_bits = n,
                                  .index_bits = n + m,
                                  .allocation = allocation,
                                  .encoding = encoding}));
    }
  }
  return all;
}

TEST(butterfly_sorting, takes_two_steps_for_four_keys_on_two_processors) {
  const ButterflyNetwork request{
      .processor_bits = 1, .index_bits = 2, .allocation = Allocation::consecutive};
  EXPECT_EQ(to_string(sort_estimate(request).cost.value), "2");
  EXPECT_EQ(to_string(sorting_bound(Hypercube{.dimensions = 1}, 2).value), "2");
}

// What the kernels compute is tested where they are; here the machine's rules, the cost and where
// everything ends.
TEST(butterfly_sorting, keeps_the_rules_of_the_machine_at_the_promised_cost) {
  const int n_max = full_run() ? 5 : (sanitized() ? 2 : 4);
  const int m_max = full_run() ? 5 : (sanitized() ? 2 : 4);
  for (int n = 1; n <= n_max; ++n) {
    for (int m = 1; m <= m_max; ++m) {
      for (const ButterflyNetwork& request : layouts(n, m)) {
        SCOPED_TRACE(faro::testing::text_of(request));
        const RecordingSink moves = moves_of(recorded(request));
        const Verdict replay = faro::testing::replayed(moves);
        ASSERT_TRUE(replay.ok()) << first_violation(replay);
        const Count promised = sort_estimate(request).cost.value;
        EXPECT_EQ(to_string(replay.cost.steps), to_string(promised));
        EXPECT_GE(promised, sorting_bound(Hypercube{.dimensions = n}, n + m).value);
      }
    }
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
    build_sort(request, pairs);
    EXPECT_EQ(pairs.of_pass, (std::vector<Count>{8, 16, 24, 32}));
  }
}

}  // namespace
}  // namespace faro::butterfly
