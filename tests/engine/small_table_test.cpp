// Small arrays: the table against the obvious loop, and that a call asks for no memory.
#include "engine/small_table.hpp"

#include <gtest/gtest.h>

#include "engine/moves.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

using namespace testing;

bool by_table(const BitMap& map, const PermuteShape& shape, const PermuteOptions& options = {}) {
  return PermutePlan::out_of_place(map, shape, options).facts().passes[0].method == "table";
}

TEST(SmallTable, moves_as_the_obvious_loop_does) {
  Random random(1);
  int tables = 0;
  int kernels = 0;
  for (const std::uint64_t element : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 32U, 100U}) {
    for (int width = 0; width <= 11; ++width) {
      for (const std::uint64_t outer : {1U, 2U, 3U, 5U}) {
        for (const std::uint64_t inner : {1U, 2U, 3U}) {
          const PermuteShape shape{.element_bytes = element, .outer = outer, .inner = inner};
          const BitMap map = random_affine(width, random);
          ++(by_table(map, shape) ? tables : kernels);
          ASSERT_TRUE(moves_right(map, shape, {}));
          ASSERT_TRUE(moves_right(map, shape, {}, {1, 3}));
        }
      }
    }
  }
  EXPECT_GT(tables, 300);
  EXPECT_GT(kernels, 300);
}

TEST(SmallTable, is_for_small_data_and_for_nobody_who_asks_for_kernels) {
  const PermuteShape doubles{.element_bytes = 8};
  EXPECT_TRUE(by_table(bit_reversal(7), doubles));
  EXPECT_FALSE(by_table(bit_reversal(10), doubles));
  EXPECT_FALSE(by_table(bit_reversal(7), doubles, {.simd = Simd::scalar}));
  EXPECT_FALSE(by_table(bit_reversal(7), doubles, {.stores = Stores::streaming}));
  EXPECT_FALSE(by_table(bit_reversal(7), {.element_bytes = std::uint64_t{1} << 40U}));
  EXPECT_TRUE(by_table(bit_reversal(9), {.element_bytes = 16}));
}

// In place up to 16 KiB is one pass by way of the stack, whatever the map.
TEST(SmallTable, small_data_in_place_takes_one_pass) {
  Random random(2);
  const auto passes = [&](int width) {
    return PermutePlan::in_place(random_affine(width, random), {.element_bytes = 8})
        .facts()
        .passes.size();
  };
  EXPECT_EQ(passes(5), 1U);
  EXPECT_EQ(passes(11), 1U);
  EXPECT_GT(passes(12), 1U);
}

TEST(SmallTable, small_calls_ask_for_no_memory) {
  Random random(3);
  std::vector<std::byte> from(std::size_t{1} << 14U);
  std::vector<std::byte> to(from.size());
  for (const std::uint64_t element : {1U, 2U, 4U, 8U, 16U}) {
    for (int width = 0; element << width <= from.size(); ++width) {
      for (const BitMap& map : {bit_reversal(width), gray(width), random_affine(width, random)}) {
        const auto plan = PermutePlan::out_of_place(map, {.element_bytes = element});
        const auto in_place = PermutePlan::in_place(map, {.element_bytes = element});
        const std::size_t bytes = element << width;
        const MemoryAsked asked = memory_asked([&] {
          plan.execute(std::span(from).first(bytes), std::span(to).first(bytes));
          in_place.execute_in_place(std::span(to).first(bytes));
        });
        EXPECT_EQ(asked.times, 0U) << plan.describe() << in_place.describe();
      }
    }
  }
}

}  // namespace
}  // namespace faro
