// Affine maps that move memory bits: all small maps and random ones.
#include "planners/cube/affine/affine_memory.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "draft.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "planners/cube/affine/row_operations.hpp"
#include "planners/cube/codes/minimum_path.hpp"
#include "planners/cube/codes/three_fifths.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::full_run;
using testing::random_affine;

TEST(AffineMemory, a_transpose_of_four_by_four) {
  const std::vector<int> place{2, 3, 0, 1};
  built_and_verified(affine_memory, testing::cut_request(BitMap::from_places(place), 2), true);
}

TEST(AffineMemory, every_affine_map_of_one_processor_bit_and_two_memory_bits) {
  testing::for_every_matrix(3, [](const BitMatrix& matrix) {
    for (int m = 1; m <= 3; ++m)
      for (const Word complement : {0U, 3U}) {
        const BitMap map = BitMap::from_matrix(matrix, complement);
        built_and_verified(affine_memory, testing::cut_request(map, m), true);
      }
  });
}

TEST(SplitMap, the_gray_code_of_a_whole_index_is_planned_as_that_of_its_processor_bits) {
  for (const int m : {1, 2, 4})
    for (const Word complement : {0U, 21U}) {
      std::vector<Word> columns;
      for (int i = 0; i < 4 + m; ++i) columns.push_back(i == 0 ? 1 : 3 * bit(i - 1));
      const BitMap gray = BitMap::from_columns(columns, complement & low_mask(m));
      for (const BitMap& map : {gray, gray.inverse()}) {
        const testing::Draft request = testing::cut_request(map, m);
        for (const Planner* p : {&minimum_path, &three_fifths_closed_form, &row_operations_planner})
          built_and_verified(*p, request, true);
      }
    }
}

TEST(AffineMemory, random_maps) {
  Random random(4);
  for (int round = 0; round < (full_run() ? 300 : 40); ++round) {
    const int width = 2 + static_cast<int>(random.below(8));
    const int m = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(width)));
    const BitMap map = random_affine(width, random);
    built_and_verified(affine_memory, testing::cut_request(map, m), true);
  }
}

TEST(AffineMemory, half_of_the_slots_and_the_bits_is_about_what_it_takes) {
  Random random(6);
  for (const int n : {6, 12, 30})
    for (int m = 1; m <= (full_run() ? 11 : 8); ++m) {
      const Cost cost = built_and_verified(
          affine_memory, testing::cut_request(random_affine(n + m, random), m), false);
      // Few bits may need an operation more than bits, and that bit a step for each slot.
      const Count slots = bit(m);
      const Count most = (n < 12 ? slots : 3 * slots / 4) + 2 * static_cast<Count>(n);
      EXPECT_TRUE(cost.steps <= most) << n << "+" << m;
    }
}

TEST(AffineMemory, more_slots_than_are_planned_together) {
  Random random(7);
  built_and_verified(affine_memory, testing::cut_request(random_affine(17, random), 14), false);
}

TEST(AffineMemory, what_the_estimate_found_is_built) {
  Random random(8);
  for (const int m : {3, 12}) {  // one group of slots, two
    const BitMap map = random_affine(4 + m, random);
    testing::one_search_serves_all(affine_memory, testing::cut_request(map, m));
  }
}

TEST(AffineMemory, fifty_processor_bits_are_proved) {
  Random random(5);
  built_and_verified(affine_memory, testing::cut_request(random_affine(54, random), 4), false);
}

}  // namespace
}  // namespace faro
