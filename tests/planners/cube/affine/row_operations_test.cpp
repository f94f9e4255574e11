// Row operations: their product is the map.
#include "planners/cube/affine/row_operations.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "draft.hpp"
#include "maps.hpp"
#include "planners/cube/codes/minimum_path.hpp"
#include "planners/cube/codes/services.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::random_affine;

Word applied(const std::vector<RowOperation>& operations, Word p) {
  for (const RowOperation& o : operations) p = o(p);
  return p;
}

TEST(RowOperations, a_swap_of_two_bits_takes_three) {
  const std::vector<int> swapped{1, 0};
  EXPECT_EQ(row_operations(BitMap::from_places(swapped)).size(), 3U);
}

TEST(RowOperations, their_product_is_the_map_and_they_are_few) {
  Random random(1);
  for (int n = 1; n <= 64; n = n < 8 ? n + 1 : n + 7)
    for (int round = 0; round < 20; ++round) {
      const BitMap map = random_affine(n, random);
      const auto operations = row_operations(map);
      EXPECT_LE(operations.size(), static_cast<std::size_t>(2 * n - 1) + (n == 1 ? 1U : 0U));
      EXPECT_EQ(applied(operations, 0), map(0));
      for (int b = 0; b < n; ++b) EXPECT_EQ(applied(operations, bit(b)), map(bit(b)));
    }
}

TEST(SplitMap, the_gray_code_of_a_whole_index_is_planned_as_that_of_its_processor_bits) {
  for (const int m : {1, 2, 4})
    for (const Word complement : {0U, 21U}) {
      std::vector<Word> columns;
      for (int i = 0; i < 4 + m; ++i) columns.push_back(i == 0 ? 1 : 3 * bit(i - 1));
      const BitMap gray = BitMap::from_columns(columns, complement & low_mask(m));
      for (const BitMap& map : {gray, gray.inverse()}) {
        const testing::Draft request = testing::cut_request(map, m);
        for (const Planner* p : {&minimum_path, &conversion_table})
          built_and_verified(*p, request, true);
      }
    }
}

}  // namespace
}  // namespace faro
