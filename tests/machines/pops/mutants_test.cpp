// Schedules of every POPS planner with one small change each. Replay judges; where the proof
// applies it must say the same. With FARO_MUTANTS=FILE the mutants and replay's verdicts are
// written, a JSON object a line, for a judge from elsewhere.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "draft.hpp"
#include "faro/base/error.hpp"
#include "faro/schedules/json.hpp"
#include "machines/mutator.hpp"
#include "machines/verdict_of.hpp"
#include "planners/pops/affine.hpp"
#include "planners/pops/broadcast.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/matmul/matmul.hpp"
#include "planners/pops/permutation.hpp"
#include "planners/pops/relation.hpp"
#include "planners/pops/testing.hpp"

namespace faro {
namespace {

using testing::Mutator;
using testing::pops_request;
using testing::random_permutation;
using testing::random_product;

RecordingSink by_rules(Random& random) {
  const int width = 1 + static_cast<int>(random.below(5));
  const int ld = static_cast<int>(random.below(static_cast<Word>(width) + 1));
  const testing::Draft request = pops_request(random_product(width, random), ld);
  RecordingSink sink;
  (random.below(2) == 0 ? pops_affine : pops_affine_single_hop).offer(request).push(sink);
  return sink;
}

RecordingSink listed(Random& random) {
  const std::uint64_t d = 1 + random.below(5);
  const std::uint64_t g = 1 + random.below(4);
  testing::Draft request = pops_request(d, g, random_permutation(d * g, random));
  const std::array<const Planner*, 4> planners{&pops_single_hop, &pops_two_hop, &pops_fewest_slots,
                                               &pops_relation};
  RecordingSink sink;
  planners[random.below(planners.size())]->offer(request).push(sink);
  return sink;
}

RecordingSink computed(Random& random) {
  const std::uint64_t order = 2 + random.below(3);
  const std::vector<Pops> machines = {
      {1, order * order, false}, {order, order, false}, {order * order, 1, false}};
  RecordingSink sink;
  push_matmul(machines[random.below(3)], order,
              random.below(2) == 0 ? MatmulAlgorithm::paper : MatmulAlgorithm::best, sink);
  return sink;
}

RecordingSink broadcast(Random& random) {
  const Pops machine{1 + random.below(3), 1 + random.below(3), random.below(2) == 0};
  RecordingSink sink;
  push_broadcast(machine, static_cast<PopsBroadcast>(random.below(3)),
                 random.below(machine.group_size * machine.groups), sink);
  return sink;
}

// The oracle's line: the schedule, the map spelled out, what replay said.
void write_line(std::ostream& out, const RecordingSink& schedule, const Verdict& verdict) {
  TextSink text;
  JsonWriter writer(text);
  schedule.replay_into(writer);
  nlohmann::json line{{"ok", verdict.ok()},
                      {"slots", to_string(verdict.cost.slots)},
                      {"why", verdict.ok() ? "" : verdict.violations[0].message},
                      {"schedule", nlohmann::json::parse(text.text())}};
  if (const auto* goal = std::get_if<MapGoal>(&schedule.header.goal)) {
    std::vector<Word> columns;
    for (int b = 0; b < goal->map.width(); ++b) columns.push_back(goal->map.column(b));
    line["goal_spec"] = {
        {"kind", "affine"}, {"columns", columns}, {"constant", goal->map.complement()}};
  }
  out << line.dump() << "\n";
}

TEST(PopsMutants, are_judged_alike_by_replay_and_proof) {
  const int count = testing::full_run() ? 100'000 : testing::sanitized() ? 800 : 6000;
  std::ofstream lines;
  if (const char* path = std::getenv("FARO_MUTANTS")) lines.open(path);
  Random random(41);
  const std::array<std::function<RecordingSink(Random&)>, 4> makers{by_rules, listed, computed,
                                                                    broadcast};
  int refused = 0;
  int proved = 0;
  for (int made = 0; made < count;) {
    const RecordingSink good = makers[random.below(makers.size())](random);
    ASSERT_TRUE(testing::verdict_of(make_replay(), good).ok());
    Mutator mutator(random.next(), good);
    for (int m = 0; m < 10 && made < count; ++m, ++made) {
      const RecordingSink mutant = mutator.next();
      const Verdict replayed = testing::verdict_of(make_replay(), mutant);
      const Verdict proof = testing::verdict_of(make_proof(), mutant);
      if (proof.answer != Verdict::Answer::unprovable) {
        ++proved;
        ASSERT_EQ(replayed.ok(), proof.ok())
            << mutator.last() << ": replay "
            << (replayed.ok() ? "yes" : replayed.violations[0].message) << ", proof "
            << (proof.ok() ? "yes" : proof.violations[0].message);
        if (replayed.ok()) {
          ASSERT_EQ(replayed.cost.slots, proof.cost.slots) << mutator.last();
        }
      }
      refused += !replayed.ok();
      if (lines.is_open()) write_line(lines, mutant, replayed);
    }
  }
  EXPECT_GT(refused, count / 2);
  EXPECT_GT(proved, count - count / 20);  // all but rules with lists after them
}

}  // namespace
}  // namespace faro
