// Chains and cycles of a generalized shuffle, their distance and packets.
#include "planners/cube/shuffle/structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "draft.hpp"
#include "planners/cube/shuffle/packets.hpp"
#include "planners/cube/shuffle/requests.hpp"

namespace faro {
namespace {

using shuffle::Structure;
using testing::shuffle_request;
using testing::structured_request;

TEST(ShuffleStructure, the_perfect_shuffle_is_one_chain) {
  // a:2 | m:1 -> a[0] m | a[1]
  const Structure s = shuffle::structure_of(shuffle_request(2, 1, {2, 0, 1}, 0));
  ASSERT_EQ(s.chains.size(), 1U);
  EXPECT_EQ(s.chains[0], (shuffle::Chain{0, 0, {0, 1}, {0, 0}}));
  EXPECT_TRUE(s.cycles.empty());
  EXPECT_EQ(s.order(), 3);
  EXPECT_EQ(s.real_order(), 2);
  EXPECT_EQ(s.distance(), 2);
}

TEST(ShuffleStructure, parities_and_complemented_dimensions) {
  // Two processor bits change places, one of them inverted; the third only inverted.
  const Structure s = shuffle::structure_of(shuffle_request(3, 1, {0, 2, 1, 3}, 0b1010));
  ASSERT_EQ(s.cycles.size(), 2U);
  EXPECT_EQ(s.cycles[0].length(), 2);
  EXPECT_EQ(s.cycles[0].parity(), 1U);
  EXPECT_EQ(s.cycles[0].distance(), 1);
  EXPECT_EQ(s.cycles[1], (shuffle::Cycle{{2}, {1}}));
}

TEST(ShuffleStructure, the_distance_is_the_largest_of_all_elements) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const int q = 1 + static_cast<int>(random.below(8));
    const int n = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(q)));
    const testing::Draft request =
        shuffle_request(n, q - n, testing::random_places(q, random), random.below(bit(q)));
    int farthest = 0;
    for (Word x = 0; x < bit(q); ++x)
      farthest = std::max(farthest, std::popcount((request.map.map(x) ^ x) >> (q - n)));
    EXPECT_EQ(shuffle::structure_of(request).distance(), farthest);
  }
}

TEST(ShuffleStructure, packets_keep_chains_and_cycles) {
  const testing::Draft request = structured_request(5, {3, 2}, {2}, 0b10100000);
  const Structure s = shuffle::structure_of(request);
  for (int j = 0; j <= 3; ++j) {
    const auto packed = shuffle::packed(request, j);
    ASSERT_TRUE(packed.has_value());
    EXPECT_EQ(packed->elements(), bit(5 - j));
    const Structure p = shuffle::structure_of(*packed);
    EXPECT_EQ(p.cycles, s.cycles);
    ASSERT_EQ(p.chains.size(), 2U);
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(p.chains[c].dimensions, s.chains[c].dimensions);
      EXPECT_EQ(p.chains[c].inverted, s.chains[c].inverted);
    }
  }
  EXPECT_FALSE(shuffle::packed(request, 4).has_value());
}

TEST(ShuffleStructure, refusals_say_why) {
  testing::Draft request = structured_request(2, {2}, {}, 0);
  EXPECT_FALSE(shuffle::refusal(request).has_value());
  request.elements = 8;
  EXPECT_THROW(static_cast<void>(Request(request)), Error);
  request.elements = 4;
  request.machine = Hypercube{.dimensions = 3};
  EXPECT_NE(shuffle::refusal(request)->find("2 processor bits"), std::string::npos);
}

}  // namespace
}  // namespace faro
