// ranks:P is a machine of the table like any other: text, file, cost, bound, two verifiers and a
// performer, each compared with what a small case is by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/schedules/cost.hpp"
#include "machines/bounds.hpp"
#include "machines/performer.hpp"
#include "machines/verdict_of.hpp"
#include "maps.hpp"
#include "schedules/machine_kind.hpp"

namespace faro {
namespace {

// Everybody of ranks:4 sends to the next but one; 2 registers.
RecordingSink next_but_one() {
  RecordingSink schedule;
  schedule.header = {.machine = Crossbar{.bits = 2},
                     .goal = MapGoal{.map = BitMap::from_columns(std::vector<Word>{1, 2}, 2)},
                     .map_text = {},
                     .elements = 1,
                     .slots = 2,
                     .planner = "by hand",
                     .cost = {},
                     .bound = {},
                     .result = {1}};
  PopsSlot slot;
  slot.rules.push_back({.where = {}, .reg = 0, .to = {{2, 1}, {1, 0}}, .into = 1});
  schedule.pops_slots.push_back(slot);
  return schedule;
}

TEST(Ranks, has_a_text_and_a_unit) {
  const Machine machine = machine_from("ranks:8");
  EXPECT_EQ(std::get<Crossbar>(machine).bits, 3);
  EXPECT_EQ(to_string(machine), "ranks:8");
  EXPECT_EQ(to_string(machine_from("ranks:2^40")), "ranks:2^40");
  EXPECT_EQ(processors(machine), 8);
  EXPECT_EQ(address_bits(machine), 3);
  EXPECT_EQ(kind_of(machine).unit(), "steps");
  EXPECT_THROW(machine_from("ranks:6"), Error);
  EXPECT_THROW(machine_from("ranks:0"), Error);
  EXPECT_THROW(machine_from("ranks:8,one-port"), Error);
  EXPECT_THROW(machine_from("ranks:2^64"), Error);
}

TEST(Ranks, both_verifiers_accept_a_round_and_count_one_step) {
  for (auto make : {make_replay, make_proof}) {
    const Verdict verdict = testing::verdict_of(make(), next_but_one());
    EXPECT_TRUE(verdict.ok()) << testing::words_of(verdict);
    EXPECT_EQ(verdict.cost.steps, 1);
    EXPECT_EQ(verdict.delivered, 4);
  }
  CostCounter counter;
  next_but_one().replay_into(counter);
  EXPECT_EQ(counter.cost().steps, 1);
  EXPECT_EQ(counter.cost().slots, 0);
}

TEST(Ranks, what_stays_in_its_processor_costs_nothing) {
  RecordingSink schedule = next_but_one();
  schedule.header.goal = MapGoal{.map = BitMap::identity(2)};
  schedule.pops_slots[0].rules[0].to = {{2, 0}, {1, 0}};
  for (auto make : {make_replay, make_proof}) {
    const Verdict verdict = testing::verdict_of(make(), schedule);
    EXPECT_TRUE(verdict.ok()) << verdict.by;
    EXPECT_EQ(verdict.cost.steps, 0);
  }
  CostCounter counter;
  schedule.replay_into(counter);
  EXPECT_EQ(counter.cost().steps, 0);
  // Where one of four goes elsewhere, the step counts.
  schedule.pops_slots[0].rules[0].where = {{3, 0}};
  schedule.pops_slots[0].rules[0].to = {{1, 0}, {2, 0}};
  schedule.replay_into(counter);
  EXPECT_EQ(counter.cost().steps, 0);  // 0 and 3 change their two equal bits
  schedule.pops_slots[0].rules[0].where = {{3, 1}};
  schedule.replay_into(counter);
  EXPECT_EQ(counter.cost().steps, 1);
}

TEST(Ranks, every_rule_is_enforced) {
  const auto sent = [](std::vector<PopsSend> sends, std::vector<PopsReceive> receives = {}) {
    return [=](RecordingSink& s) { s.pops_slots[0] = {sends, receives, {}, {}}; };
  };
  const std::vector<testing::Hostile> cases = {
      {"R10", sent({{0, 0, {1, 2}}})},
      {"R2",
       [](RecordingSink& s) {
         s.pops_slots[0].sends.push_back({0, 0, {1}});
       }},
      {"R3", sent({{0, 0, {2}}, {1, 0, {2}}}, {{2, 0, 1}, {2, 1, 1}})},
      {"R8", sent({{4, 0, {0}}})},
      {"delivery", [](RecordingSink& s) { s.pops_slots.clear(); }},
      {"cost-claim", [](RecordingSink& s) { s.header.cost = CostClaim(Cost{}); }},
      {"bound-claim", [](RecordingSink& s) {
         s.header.bound = Bound{2, "none", {}};
       }}};
  for (const auto& [rule, change] : cases) {
    RecordingSink broken = next_but_one();
    change(broken);
    EXPECT_TRUE(testing::rules_of(testing::verdict_of(make_replay(), broken)).contains(rule));
    EXPECT_EQ(testing::verdict_of(make_proof(), broken).answer, Verdict::Answer::no) << rule;
  }
  RecordingSink product = next_but_one();
  product.header.goal = MatmulGoal{.order = 2, .a = 0, .b = 1, .c = 2};
  EXPECT_THROW(testing::verdict_of(make_replay(), product), Error);
}

TEST(Ranks, the_performer_moves_bytes_as_the_map_says) {
  const RecordingSink schedule = next_but_one();
  const std::uint32_t data[4] = {10, 11, 12, 13};
  const auto performer = make_performer(std::as_bytes(std::span(data)), sizeof(data[0]));
  schedule.replay_into(*performer);
  const std::vector<std::byte> result = performer->take_result();
  std::uint32_t moved[4];
  ASSERT_EQ(result.size(), sizeof(moved));
  std::memcpy(moved, result.data(), sizeof(moved));
  for (Word p = 0; p < 4; ++p) EXPECT_EQ(moved[p ^ 2U], data[p]);
}

// The most that a processor has to send or to receive, by counting.
std::uint64_t busiest(const MapGoal& goal, int bits, int memory) {
  std::vector<std::uint64_t> sends(bit(bits), 0);
  std::vector<std::uint64_t> receives(bit(bits), 0);
  for (Word i = 0; i < bit(bits + memory); ++i) {
    const Word from = i >> memory;
    const Word to = goal.map(i) >> memory;
    if (from == to) continue;
    ++sends[from];
    ++receives[to];
  }
  return std::max(*std::max_element(sends.begin(), sends.end()),
                  *std::max_element(receives.begin(), receives.end()));
}

TEST(Ranks, the_bound_is_what_the_busiest_processor_has_to_do) {
  Random random(5);
  std::size_t kept = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int bits = 1 + static_cast<int>(random.below(4));
    const int memory = static_cast<int>(random.below(4));
    BitMap map = testing::random_affine(bits + memory, random);
    // Some where only memory bits and their columns change, so that everybody keeps a part.
    if (trial % 3 == 0 && memory > 0) {
      std::vector<Word> columns;
      for (int b = 0; b < bits + memory; ++b) columns.push_back(bit(b));
      columns[0] |= bit(memory);
      map = BitMap::from_columns(columns, trial % 2 == 0 ? bit(memory) : 0);
    }
    const MapGoal goal{.map = map, .cut = true, .memory_bits = memory};
    const Bound bound = lower_bound(Machine{Crossbar{.bits = bits}}, goal, bit(memory));
    ASSERT_EQ(bound.value, busiest(goal, bits, memory)) << trial;
    kept += bound.value != bit(memory);
  }
  EXPECT_GT(kept, 50U);
}

}  // namespace
}  // namespace faro
