// Conversion along shortest paths: its formula, back and forth, several fields.
#include "planners/cube/codes/minimum_path.hpp"

#include <gtest/gtest.h>

#include "full.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::cube_request_of;
using testing::gray_to_binary;

TEST(MinimumPath, two_bits_and_one_element_is_one_exchange) {
  RecordingSink sink;
  minimum_path.offer(cube_request_of(2, gray_to_binary({2}), 1)).push(sink);
  ASSERT_EQ(sink.cube_steps.size(), 1U);
  const Rule exchange{.where = {{0b10, 1}}, .from = 0, .across = 0, .to = 0};
  EXPECT_EQ(sink.cube_steps[0].rules, std::vector<Rule>{exchange});
}

TEST(MinimumPath, takes_the_larger_of_elements_and_working_dimensions) {
  const int dimensions_max = testing::full_run() ? 10 : 7;
  for (int n = 1; n <= dimensions_max; ++n)
    for (const std::uint64_t k : {1U, 2U, 3U, 5U, 7U, 12U}) {
      const Cost cost =
          built_and_verified(minimum_path, cube_request_of(n, gray_to_binary({n}), k), true);
      const Count wanted = n == 1 ? 0 : std::max<Count>(k, static_cast<Count>(n - 1));
      EXPECT_EQ(to_string(cost.steps), to_string(wanted));
    }
}

TEST(MinimumPath, converts_back_and_several_fields) {
  for (const auto& map :
       {gray_to_binary({3, 2}), gray_to_binary({2, 1, 3}), gray_to_binary({4, 4})})
    for (const std::uint64_t k : {1U, 4U, 9U}) {
      built_and_verified(minimum_path, cube_request_of(map.width(), map, k), true);
      built_and_verified(minimum_path, cube_request_of(map.width(), map.inverse(), k), true);
    }
}

TEST(MinimumPath, refuses_what_is_no_conversion) {
  const std::vector<int> reversed{2, 1, 0};
  EXPECT_TRUE(minimum_path.refusal(cube_request_of(3, BitMap::from_places(reversed), 1)));
  EXPECT_TRUE(
      minimum_path.refusal(cube_request_of(3, gray_to_binary({3}), 1, Hypercube::Ports::one)));
}

}  // namespace
}  // namespace faro
