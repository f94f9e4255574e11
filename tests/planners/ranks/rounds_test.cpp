// Rounds between ranks: what the busiest processor sends is what they take.
#include "planners/ranks/rounds.hpp"

#include <gtest/gtest.h>

#include "machines/bounds.hpp"
#include "maps.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

testing::Draft ranks_request(int bits, const BitMap& map, int memory) {
  return {.machine = Crossbar{.bits = bits},
          .map = {.map = map, .cut = true, .memory_bits = memory},
          .destinations = {},
          .elements = bit(memory)};
}

// 2^m - 2^(m - rho) or 2^m steps: the most that some processor has to send, counted one by one.
TEST(RanksRounds, any_affine_map_takes_what_the_busiest_processor_sends) {
  Random random(21);
  int saved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int bits = 1 + static_cast<int>(random.below(4));
    const int memory = 1 + static_cast<int>(random.below(3));
    BitMap map = testing::random_affine(bits + memory, random);
    if (trial % 4 == 0) {  // processor bit 0 and memory bit 0 change places
      std::vector<Word> columns;
      for (int b = 0; b < bits + memory; ++b) columns.push_back(bit(b));
      std::swap(columns[0], columns[static_cast<std::size_t>(memory)]);
      map = BitMap::from_columns(columns);
    }
    std::vector<std::uint64_t> sends(bit(bits), 0);
    for (Word i = 0; i < bit(bits + memory); ++i)
      if (i >> memory != map(i) >> memory) ++sends[i >> memory];
    const Cost cost =
        testing::built_and_verified(ranks_rounds, ranks_request(bits, map, memory), true);
    ASSERT_EQ(cost.steps, *std::max_element(sends.begin(), sends.end())) << trial;
    saved += cost.steps < bit(memory);
  }
  EXPECT_GE(saved, 50);
}

TEST(RanksRounds, a_transposition_among_eight_takes_seven_steps) {
  std::vector<Word> columns;
  for (int b = 0; b < 6; ++b) columns.push_back(bit((b + 3) % 6));
  const Cost cost = testing::built_and_verified(
      ranks_rounds, ranks_request(3, BitMap::from_columns(columns), 3), true);
  EXPECT_EQ(cost.steps, 7);
}

TEST(RanksRounds, forty_processor_bits_are_proved) {
  std::vector<Word> columns;
  for (int b = 0; b < 43; ++b) columns.push_back(bit(42 - b));
  const Cost cost = testing::built_and_verified(
      ranks_rounds, ranks_request(40, BitMap::from_columns(columns), 3), false);
  EXPECT_EQ(cost.steps, 8);  // who is its own mirror image is rare
}

TEST(RanksRounds, without_memory_bits_every_element_takes_a_step) {
  Random random(2);
  testing::Draft request{.machine = Crossbar{.bits = 4},
                         .map = {.map = testing::random_affine(4, random)},
                         .destinations = {},
                         .elements = 5};
  EXPECT_EQ(testing::built_and_verified(ranks_rounds, request, true).steps, 5);
  request.map.map = BitMap::identity(4);
  EXPECT_EQ(testing::built_and_verified(ranks_rounds, request, true).steps, 0);
}

TEST(RanksRounds, lists_of_destinations_are_replayed) {
  Random random(4);
  for (const std::uint64_t elements : {1U, 3U}) {
    const testing::Draft request{.machine = Crossbar{.bits = 3},
                                 .map = {},
                                 .destinations = testing::random_permutation(8, random),
                                 .elements = elements};
    ASSERT_FALSE(ranks_rounds.refusal(request));
    const auto replay = make_replay();
    const Offer offer = ranks_rounds.offer(request);
    offer.push(*replay);
    EXPECT_TRUE(replay->verdict().ok());
    EXPECT_EQ(replay->verdict().cost.steps, elements);
    EXPECT_EQ(offer.estimate.cost.value, elements);
    EXPECT_EQ(lower_bound(request.machine, request.destinations, elements).value, elements);
  }
}

TEST(RanksRounds, schedules_of_too_many_rules_are_refused) {
  Random random(9);
  EXPECT_TRUE(ranks_rounds.refusal(ranks_request(10, testing::random_affine(40, random), 30)));
  EXPECT_FALSE(ranks_rounds.refusal(ranks_request(30, testing::random_affine(35, random), 5)));
}

}  // namespace
}  // namespace faro
