// Affine maps as products of involutions: how many it takes, and that they multiply to the map.
#include "engine/involutions.hpp"

#include <gtest/gtest.h>

#include "engine/affine.hpp"

namespace faro {
namespace {

using engine::involutions;
using namespace testing;

std::size_t expect_factors(const BitMap& map) {
  BitMap product = BitMap::identity(map.width());
  const auto factors = involutions(map);
  for (const BitMap& factor : factors) {
    EXPECT_TRUE(engine::is_involution(factor));
    product = then(product, factor);
  }
  EXPECT_EQ(product, map);
  return factors.size();
}

TEST(Involutions, a_permutation_of_bits_with_complements_takes_two) {
  Random random(3);
  for (int width = 1; width <= 30; ++width) {
    for (int i = 0; i < 20; ++i) EXPECT_LE(expect_factors(random_bpc(width, random)), 2U);
  }
}

TEST(Involutions, gray_code_takes_two) {
  for (int width = 3; width <= 40; ++width) {
    EXPECT_EQ(expect_factors(gray(width)), 2U);
    EXPECT_EQ(expect_factors(gray(width).inverse()), 2U);
  }
}

TEST(Involutions, any_affine_map_takes_at_most_seven_and_mostly_three) {
  Random random(4);
  int with_three = 0;
  int count = 0;
  for (int width = 2; width <= 40; ++width) {
    for (int i = 0; i < 20; ++i, ++count) {
      const std::size_t factors = expect_factors(random_affine(width, random));
      EXPECT_LE(factors, 7U);
      with_three += factors <= 3 ? 1 : 0;
    }
  }
  EXPECT_GT(with_three, count / 2);
}

TEST(Involutions, blocks_side_by_side_are_factored_too) {
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    const BitMap block = random_affine(5, random);
    EXPECT_LE(expect_factors(beside(block, beside(block, BitMap::identity(2)))), 7U);
  }
}

}  // namespace
}  // namespace faro
