// Plans on fat trees: their formulas, both verifiers, how near the bound they come, and schedules
// that something was changed in.
#include <gtest/gtest.h>

#include "faro/machines/verifier.hpp"
#include "full.hpp"
#include "machines/bounds.hpp"
#include "machines/verdict_of.hpp"
#include "maps.hpp"
#include "planners/planning.hpp"
#include "planners/ranks/tree_classes.hpp"
#include "planners/ranks/tree_lists.hpp"

namespace faro {
namespace {

testing::Draft tree_request(std::string_view machine, const BitMap& map, int memory) {
  return {.machine = machine_from(machine),
          .map = {.map = map, .cut = memory > 0, .memory_bits = memory},
          .destinations = {},
          .elements = bit(memory)};
}

Count bound_of(const testing::Draft& request) {
  return request.destinations.empty()
             ? lower_bound(request.machine, request.map, request.elements).value
             : lower_bound(request.machine, request.destinations, request.elements).value;
}

// The most that the processors below one switch hold over its links: no map takes more.
Count most_held(const Machine& machine, std::uint64_t elements) {
  Count most = elements;
  for (const Crossbar::Tier& tier : std::get<Crossbar>(machine).tiers)
    most = std::max(most, Count{elements} << (tier.processors_log2 - tier.up_log2));
  return most;
}

TEST(TreeClasses, every_map_of_four_bits_is_planned_within_what_switches_hold) {
  int planned = 0;
  int at_bound = 0;
  for (const int memory : {1, 2}) {
    const char* machine = memory == 2 ? "fat-tree:2x2,up=1" : "fat-tree:2x2x2,up=2x1";
    int nth = 0;
    testing::for_every_matrix(4, [&](const BitMatrix& matrix) {
      if (!testing::full_run() && nth++ % 23 != 0) return;
      const auto request =
          tree_request(machine, BitMap::from_matrix(matrix, static_cast<Word>(nth) & 15U), memory);
      const Cost cost = testing::built_and_verified(tree_classes, request, true);
      ASSERT_GE(cost.steps, bound_of(request));
      ASSERT_LE(cost.steps, most_held(request.machine, request.elements));
      ++planned;
      at_bound += cost.steps == bound_of(request);
    });
  }
  EXPECT_GT(planned, 1700);
  EXPECT_GT(at_bound * 2, planned);
}

TEST(TreeClasses, random_maps_of_any_shape_and_number_of_elements) {
  Random random(3);
  const char* const machines[] = {"fat-tree:4x8,up=2", "fat-tree:2x4x4,up=4x2", "fat-tree:8x2,up=1",
                                  "fat-tree:2x2x2x2,up=2x2x1", "fat-tree:4x4"};
  for (int trial = 0; trial < (testing::full_run() ? 3000 : 300); ++trial) {
    const char* machine = machines[random.below(std::size(machines))];
    const int bits = *address_bits(machine_from(machine));
    const int memory = static_cast<int>(random.below(4));
    auto request = tree_request(machine, testing::random_affine(bits + memory, random), memory);
    if (trial % 4 == 0) {
      request.map.map = BitMap::from_places(testing::random_places(bits + memory, random));
    } else if (trial % 4 == 1) {
      request.map = {.map = testing::random_affine(bits, random)};
      request.elements = 1 + random.below(11);
    }
    const Cost cost = testing::built_and_verified(tree_classes, request, true);
    ASSERT_GE(cost.steps, bound_of(request)) << trial << ' ' << machine;
    if (request.map.cut || is_power_of_two(request.elements)) {
      ASSERT_LE(cost.steps, most_held(request.machine, request.elements)) << trial;
    }
  }
}

BitMap swapped_halves(int width) {
  return testing::rotation(width, width / 2);
}

TEST(TreeClasses, a_transposition_moves_what_stays_in_the_steps_of_the_rest) {
  const auto request = tree_request("fat-tree:4x8,up=2", swapped_halves(10), 5);
  EXPECT_EQ(bound_of(request), 96);
  EXPECT_EQ(testing::built_and_verified(tree_classes, request, true).steps, 96);
  // Nothing leaves a processor of the identity, or a switch where only low bits change.
  const auto still = tree_request("fat-tree:4x8,up=2", BitMap::identity(8), 3);
  EXPECT_EQ(testing::built_and_verified(tree_classes, still, true).steps, 0);
  const auto below = tree_request("fat-tree:4x8,up=1",
                                  BitMap::from_places(std::vector<int>{3, 4, 5, 0, 1, 2, 6, 7}), 3);
  EXPECT_EQ(testing::built_and_verified(tree_classes, below, true).steps, 7);
}

TEST(TreeClasses, forty_processor_bits_are_proved) {
  std::vector<Word> columns;
  for (int b = 0; b < 43; ++b) columns.push_back(bit(42 - b));
  auto request = tree_request("fat-tree:2^20x2^20,up=2^17", BitMap::from_columns(columns), 3);
  EXPECT_EQ(testing::built_and_verified(tree_classes, request, false).steps, bound_of(request));
  request.machine = machine_from("fat-tree:2^10x2^15x2^15,up=2^27x2^12");
  EXPECT_EQ(testing::built_and_verified(tree_classes, request, false).steps, bound_of(request));
}

TEST(TreeLists, permutations_are_halved_and_negotiated) {
  Random random(4);
  Count halves = 0;
  Count seats = 0;
  Count bounds = 0;
  int negotiated = 0;
  for (int trial = 0; trial < (testing::full_run() ? 400 : 60); ++trial) {
    const Machine machine =
        machine_from(trial % 2 == 0 ? "fat-tree:4x4,up=2" : "fat-tree:2x2x4,up=2x2");
    testing::Draft request{.machine = machine,
                           .map = {},
                           .destinations = testing::random_permutation(16, random),
                           .elements = 1 + random.below(6)};
    if (trial % 5 == 0) {
      request.destinations.clear();
      request.map = {.map = testing::random_affine(6, random), .cut = true, .memory_bits = 2};
      request.elements = 4;
    }
    const auto judged = [&](const Planner& planner) {
      const Offer offer = planner.offer(request);
      for (auto make : {make_replay, make_proof}) {
        const auto verifier = make();
        offer.push(*verifier);
        const Verdict verdict = verifier->verdict();
        EXPECT_TRUE(verdict.ok()) << trial << testing::words_of(verdict);
        EXPECT_EQ(verdict.cost.steps, offer.estimate.cost.value) << trial;
      }
      EXPECT_GE(offer.estimate.cost.value, bound_of(request)) << trial;
      return offer.estimate.cost.value;
    };
    ASSERT_FALSE(tree_halves.refusal(request));
    const Count by_halves = judged(tree_halves);
    if (is_power_of_two(request.elements)) {
      EXPECT_LE(by_halves, most_held(machine, request.elements)) << trial;
    }
    halves += by_halves;
    bounds += bound_of(request);
    if (by_halves == bound_of(request)) {
      seats += by_halves;
      EXPECT_THROW(tree_seats.offer(request), Error);
    } else {
      seats += judged(tree_seats);
      ++negotiated;
    }
  }
  EXPECT_GT(negotiated, 20);
  EXPECT_LT(seats, halves);
  EXPECT_LE(seats * 100, bounds * 103);
}

// One thing of a right schedule is another: replay and proof say the same of it.
TEST(TreeClasses, changed_schedules_are_judged_alike) {
  Random random(17);
  int wrong = 0;
  int crowded = 0;
  for (int trial = 0; trial < (testing::full_run() ? 100000 : 1500); ++trial) {
    const auto request =
        tree_request(trial % 2 == 0 ? "fat-tree:4x2,up=1" : "fat-tree:2x2x2,up=1x1",
                     testing::random_affine(4, random), 1);
    RecordingSink schedule;
    tree_classes.offer(request).push(schedule);
    if (schedule.pops_slots.empty()) continue;
    const auto at = [&](std::size_t size) { return static_cast<std::size_t>(random.below(size)); };
    PopsSlot& slot = schedule.pops_slots[at(schedule.pops_slots.size())];
    if (slot.rules.empty()) continue;
    PopsRule& rule = slot.rules[at(slot.rules.size())];
    switch (random.below(6)) {
      case 0:  // two steps in one
        if (schedule.pops_slots.size() > 1) {
          const PopsSlot last = schedule.pops_slots.back();
          schedule.pops_slots.pop_back();
          PopsSlot& other = schedule.pops_slots[at(schedule.pops_slots.size())];
          other.rules.insert(other.rules.end(), last.rules.begin(), last.rules.end());
        }
        break;
      case 1:
        if (!rule.where.empty()) rule.where.erase(rule.where.begin());
        break;
      case 2:
        if (!rule.where.empty()) rule.where[at(rule.where.size())].value ^= 1U;
        break;
      case 3:
        rule.to[at(rule.to.size())].value ^= 1U;
        break;
      case 4:
        rule.into ^= 1U;
        break;
      default:
        rule.reg ^= 1U;
    }
    const Verdict replayed = testing::verdict_of(make_replay(), schedule);
    const Verdict proved = testing::verdict_of(make_proof(), schedule);
    ASSERT_EQ(replayed.answer, proved.answer)
        << trial << testing::words_of(replayed) << testing::words_of(proved);
    wrong += !replayed.ok();
    crowded += !replayed.violations.empty() && replayed.violations.front().rule == "R11";
  }
  EXPECT_GT(wrong, 1000);
  EXPECT_GT(crowded, 20);
}

}  // namespace
}  // namespace faro
