// Bit permutations by their cycles, with every complement.
#include "planners/cube/shuffle/bit_cycles.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "draft.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "maps.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::cube_request_of;
using testing::full_run;
using testing::rotation;

TEST(BitCycles, are_read_from_the_map) {
  const std::vector<int> place{2, 1, 3, 0};
  const auto cycles = bit_cycles(BitMap::from_places(place, 0b0010));
  ASSERT_TRUE(cycles && cycles->size() == 2);
  EXPECT_EQ((*cycles)[0].dimensions, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ((*cycles)[1].dimensions, (std::vector<int>{1}));
}

TEST(CycleRounds, one_cycle_of_any_length_with_every_complement) {
  for (int length = 1; length <= (full_run() ? 6 : 5); ++length)
    for (Word complement = length == 1 ? 1 : 0; complement < bit(length); ++complement)
      for (std::uint64_t k = 1; k <= 40; k += full_run() || k < 12 ? 1 : 9)
        built_and_verified(cycle_rounds,
                           cube_request_of(length, rotation(length, 1, complement), k), true);
}

TEST(CycleRounds, every_bit_permutation_of_four_bits) {
  testing::Judged judged(150);
  std::vector<int> place{0, 1, 2, 3};
  do {
    for (const Word complement : {0U, 5U, 15U})
      for (const std::uint64_t k : {1U, 6U, 13U}) {
        const testing::Draft request =
            cube_request_of(4, BitMap::from_places(place, complement), k);
        if (cycle_rounds.refusal(request)) continue;
        ++judged;
        built_and_verified(cycle_rounds, request, true);
      }
  } while (std::next_permutation(place.begin(), place.end()));
}

TEST(CycleRounds, sixty_dimensions_are_proved) {
  built_and_verified(cycle_rounds, cube_request_of(60, rotation(60, 1, 3), 30), false);
}

}  // namespace
}  // namespace faro
