// Each rule of a POPS network has a schedule that only it refuses.
#include <gtest/gtest.h>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/machines/verifier.hpp"
#include "machines/list_proof.hpp"
#include "machines/pops/performer.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

// POPS(2, 2): 0 and 1 exchange, then 2 and 3, over the loops; all data end in register 1.
RecordingSink pair_exchange() {
  RecordingSink schedule;
  schedule.header.machine = Pops{2, 2, false};
  const std::vector<int> places = {0, 1};
  schedule.header.goal = MapGoal{BitMap::from_places(places, 1), false, 0};
  schedule.header.slots = 2;
  schedule.header.result = {1};
  for (const Word first : {Word{0}, Word{1}}) {
    PopsSlot slot;
    for (const Word group : {Word{0}, Word{1}}) {
      const Word p = 2 * group + first;
      slot.sends.push_back({p, 0, {group}});
      slot.receives.push_back({p ^ 1U, group, 1});
    }
    schedule.pops_slots.push_back(slot);
  }
  return schedule;
}

// The same as two rules.
RecordingSink pair_exchange_by_rules() {
  RecordingSink schedule = pair_exchange();
  schedule.pops_slots.clear();
  for (const unsigned first : {0U, 1U}) {
    PopsSlot slot;
    slot.rules.push_back({{{1, first}}, 0, {{2, 0}, {1, 1}}, 1});
    schedule.pops_slots.push_back(slot);
  }
  return schedule;
}

using testing::Change;
using testing::Hostile;
using testing::rules_of;

std::set<std::string> only(const char* rule) {
  return {rule};
}

// Of the first slot.
Change send(PopsSend more) {
  return [=](RecordingSink& s) { s.pops_slots[0].sends.push_back(more); };
}
Change receive(PopsReceive more) {
  return [=](RecordingSink& s) { s.pops_slots[0].receives.push_back(more); };
}
Change rule(PopsRule more) {
  return [=](RecordingSink& s) { s.pops_slots[0].rules.push_back(more); };
}
Change first_send_to(std::vector<std::uint64_t> groups) {
  return [=](RecordingSink& s) { s.pops_slots[0].sends[0].to_groups = groups; };
}
Change bound(Count value, Certificate certificate = {}) {
  return [=](RecordingSink& s) { s.header.bound = Bound{value, "said", certificate}; };
}

TEST(PopsReplay, accepts_an_exchange_over_the_loops_and_counts_two_slots) {
  const Verdict verdict = testing::verdict_of(make_replay(), pair_exchange());
  ASSERT_TRUE(verdict.ok()) << verdict.violations[0].message;
  EXPECT_EQ(verdict.cost.slots, 2U);
  EXPECT_EQ(verdict.delivered, 4U);
  EXPECT_EQ(verdict.expected, 4U);
}

// What breaks the exchange, and the only rule that says so.
const std::vector<Hostile> broken_exchanges = {
    // Both messages carry what 1 waits for anyway, so nothing else is wrong.
    {"R1", send({1, 0, {0}})},
    {"R2", send({0, 0, {1}})},
    {"R3",
     [](RecordingSink& s) {
       s.pops_slots[0].sends[0].to_groups = {0, 1};
       s.pops_slots[0].sends[1].to_groups = {1, 0};
       s.header.slots = 3;
       s.pops_slots[0].receives.push_back({1, 1, 2});
     }},
    {"R4", receive({0, 1, 1})},
    {"R5", send({1, 1, {1}})},
    {"R7",
     [](RecordingSink& s) {
       first_send_to({0, 1})(s);
       receive({2, 0, 2})(s);
     }},
    {"R8", first_send_to({0, 2})},
    {"R8", send({4, 0, {0}})},
    {"R8", send({1, 0, {}})},
    {"R8", receive({0, 2, 1})},
    {"R8", receive({7, 0, 1})},
    {"R9",
     [](RecordingSink& s) {
       s.pops_slots[1].operations.push_back({PopsOperation::Kind::copy, 0, 1, 1, 0});
     }},
    {"delivery", [](RecordingSink& s) { s.pops_slots[1].receives.pop_back(); }},
    {"result", [](RecordingSink& s) { s.header.result.push_back(1); }},
    {"goal",
     [](RecordingSink& s) {
       s.header.goal = MapGoal{BitMap::identity(3), false, 0};
     }},
    {"cost-claim", [](RecordingSink& s) { s.header.cost = CostClaim(Cost{.slots = 1}); }},
    {"bound-claim", bound(3)},
    {"bound-claim", bound(2, certificate::Weights{{{0, 0, 1}, {1, 1, 0}, {0, 1, 2}}})},
    {"bound-claim", bound(1, certificate::Weights{{{0, 2, 1}}})},
};

TEST(PopsReplay, each_rule_has_a_schedule_that_only_it_refuses) {
  testing::expect_refused(pair_exchange(), broken_exchanges, {make_replay});
}

// Two data move inside each group and pay 1 each, 4 in all; a slot pays 3 at most.
TEST(PopsVerifiers, accept_a_certificate_that_proves_the_bound_and_no_more) {
  for (const bool rules : {false, true}) {
    RecordingSink schedule = rules ? pair_exchange_by_rules() : pair_exchange();
    const auto verify = rules ? make_proof : make_replay;
    certificate::Weights weights{{{0, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    schedule.header.bound = Bound{2, "4 / 3", weights};
    EXPECT_TRUE(testing::verdict_of(verify(), schedule).ok());
    weights.links[2].weight = 2;  // the loops still cost 1: 4 / 4
    schedule.header.bound->certificate = weights;
    EXPECT_FALSE(testing::verdict_of(verify(), schedule).ok());
    schedule.header.bound->value = 1;
    EXPECT_TRUE(testing::verdict_of(verify(), schedule).ok());
  }
}

TEST(PopsReplay, multi_receive_hears_every_coupler_once_into_distinct_registers) {
  RecordingSink schedule;
  schedule.header.machine = Pops{1, 2, true};
  schedule.header.goal = BroadcastGoal{};
  schedule.header.slots = 3;
  PopsSlot slot;
  for (const Word p : {Word{0}, Word{1}}) {
    slot.sends.push_back({p, 0, {0, 1}});
    slot.receives.push_back({p, 0, 1});
    slot.receives.push_back({p, 1, 2});
  }
  schedule.pops_slots = {slot};
  const Verdict good = testing::verdict_of(make_replay(), schedule);
  EXPECT_TRUE(good.ok());
  EXPECT_EQ(good.delivered, 4U);

  RecordingSink twice = schedule;
  twice.pops_slots[0].receives.push_back({0, 1, 0});
  EXPECT_EQ(rules_of(testing::verdict_of(make_replay(), twice)), only("R3"));

  RecordingSink clash = schedule;
  clash.pops_slots[0].receives[1].reg = 1;
  EXPECT_EQ(rules_of(testing::verdict_of(make_replay(), clash)), only("R6"));

  RecordingSink single = schedule;
  std::get<Pops>(single.header.machine).multi_receive = false;
  EXPECT_EQ(rules_of(testing::verdict_of(make_replay(), single)), only("R3"));
}

TEST(PopsReplay, reads_come_before_writes) {
  RecordingSink schedule;
  schedule.header.machine = Pops{1, 2, false};
  schedule.header.goal = MovesGoal{{{0, 0, 1, 0}, {1, 0, 0, 0}}};
  PopsSlot slot;
  slot.sends = {{0, 0, {1}}, {1, 0, {0}}};
  slot.receives = {{0, 1, 0}, {1, 0, 0}};
  schedule.pops_slots = {slot};
  EXPECT_TRUE(testing::verdict_of(make_replay(), schedule).ok());
}

// N = 1: one multiplication; each fault is refused by the rule about operations or delivery.
TEST(PopsReplay, executes_operations_on_numbers) {
  RecordingSink schedule;
  schedule.header.machine = Pops{1, 1, false};
  schedule.header.goal = MatmulGoal{1, 0, 1, 2};
  schedule.header.slots = 4;
  PopsSlot slot;
  slot.operations = {{PopsOperation::Kind::multiply, 0, 2, 0, 1}};
  schedule.pops_slots = {slot};
  const Verdict verdict = testing::verdict_of(make_replay(), schedule);
  ASSERT_TRUE(verdict.ok()) << verdict.violations[0].message;
  EXPECT_EQ(verdict.cost.slots, 0U);
  EXPECT_EQ(verdict.cost.compute_rounds, 1U);
  const std::vector<double> a = {3};
  const std::vector<double> b = {5};
  PopsMultiplier<double> machine(a, b);
  schedule.replay_into(machine);
  EXPECT_EQ(machine.take_product(), std::vector<double>{15});

  const auto broken = [&](PopsOperation op) {
    RecordingSink s = schedule;
    s.pops_slots[0].operations.push_back(op);
    return rules_of(testing::verdict_of(make_replay(), s));
  };
  using Kind = PopsOperation::Kind;
  EXPECT_EQ(broken({Kind::add, 0, 3, 0, 3}), only("R9"));
  EXPECT_EQ(broken({Kind::multiply_add, 0, 3, 0, 1}), only("R9"));
  EXPECT_EQ(broken({Kind::copy, 0, 9, 0, 0}), only("R7"));
  EXPECT_EQ(broken({Kind::zero, 5, 2, 0, 0}), only("R8"));
  EXPECT_EQ(broken({Kind::add, 0, 2, 2, 1}), only("delivery"));
}

TEST(PopsProof, accepts_the_exchange_as_two_rules) {
  for (auto make : {make_replay, make_proof}) {
    const Verdict verdict = testing::verdict_of(make(), pair_exchange_by_rules());
    ASSERT_TRUE(verdict.ok()) << verdict.violations[0].message;
    EXPECT_EQ(verdict.cost.slots, 2U);
    EXPECT_EQ(verdict.delivered, 4U);
  }
}

TEST(PopsProof, follows_what_is_spelled_out_back_from_the_goal) {
  const Verdict verdict = testing::verdict_of(make_proof(), pair_exchange());
  ASSERT_TRUE(verdict.ok()) << verdict.limit;
  EXPECT_EQ(verdict.cost.slots, 2U);
  EXPECT_EQ(verdict.delivered, 4U);
}

TEST(PopsProof, and_replay_refuse_what_is_spelled_out_by_the_same_rules) {
  testing::expect_refused(pair_exchange(), broken_exchanges, {make_proof});
}

// More registers than are kept for so many processors.
TEST(PopsProof, says_how_many_registers_it_follows) {
  RecordingSink schedule = pair_exchange();
  schedule.header.slots = std::uint64_t{1} << limits::proof_listed_places_log2_max;
  const Verdict verdict = testing::verdict_of(pops_list_proof(), schedule);
  EXPECT_EQ(verdict.answer, Verdict::Answer::unprovable);
  EXPECT_NE(verdict.limit.find("2^26 registers"), std::string::npos) << verdict.limit;
  schedule.header.slots /= 4096;
  EXPECT_TRUE(testing::verdict_of(pops_list_proof(), schedule).ok());
}

TEST(PopsProof, and_replay_refuse_the_same_rules) {
  const std::vector<Hostile> cases = {
      {"R1", [](RecordingSink& s) { s.pops_slots[0].rules[0].where = {}; }},
      {"R1", rule(pair_exchange_by_rules().pops_slots[1].rules[0])},
      {"R2", rule({{{1, 0}}, 0, {{2, 1}, {1, 0}}, 1})},
      {"R3", rule({{{1, 1}}, 0, {{2, 1}, {1, 0}}, 1})},
      {"R5", [](RecordingSink& s) { s.pops_slots[0].rules[0].reg = 1; }},
      {"R7", [](RecordingSink& s) { s.pops_slots[0].rules[0].into = 2; }},
      {"R8", [](RecordingSink& s) { s.pops_slots[0].rules[0].to.pop_back(); }},
      {"R8",
       [](RecordingSink& s) {
         s.pops_slots[0].rules[0].where.assign(1, {4, 0});
       }},
      {"delivery", [](RecordingSink& s) { s.pops_slots.pop_back(); }},
      {"bound-claim", bound(3)},
  };
  testing::expect_refused(pair_exchange_by_rules(), cases);
}

TEST(PopsVerifiers, refuse_more_processors_than_can_be_spelled_out) {
  RecordingSink schedule;
  schedule.header.machine = Pops{bit(20), bit(20), false};
  schedule.header.goal = MapGoal{BitMap::identity(40), false, 0};
  schedule.header.result = {0};
  EXPECT_THROW(testing::verdict_of(make_replay(), schedule), Error);
  EXPECT_TRUE(testing::verdict_of(make_proof(), schedule).ok());
}

TEST(PopsVerifiers, a_wild_register_costs_no_memory) {
  RecordingSink schedule = pair_exchange();
  schedule.header.slots = ~0U;
  schedule.pops_slots[0].receives[0].reg = ~0U - 7;
  EXPECT_THROW(testing::verdict_of(make_replay(), schedule), Error);
}

}  // namespace
}  // namespace faro
