// Relations on POPS networks take twice their classes.
#include "planners/pops/relation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "draft.hpp"
#include "machines/pops/bounds.hpp"
#include "planners/pops/testing.hpp"

namespace faro {
namespace {

using testing::pops_request;
using testing::random_permutation;
using testing::random_relation;
using testing::replayed_slots;

TEST(PopsRelation, random_relations_take_twice_the_classes) {
  Random random(21);
  const int rounds = testing::full_run() ? 2000 : 250;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t d = 1 + random.below(8);
    const std::uint64_t g = 1 + random.below(6);
    const std::uint64_t h = 1 + random.below(4);
    const testing::Draft request = random_relation(d, g, h, random);
    const Count slots = replayed_slots(pops_relation, request);
    ASSERT_FALSE(::testing::Test::HasFailure()) << d << " " << g << " " << h;
    ASSERT_LE(slots, 2 * std::max<Count>(h, ceil_div(Count{h} * d, g)));
    ASSERT_GE(slots, lower_bound(Pops{d, g, false}, request.destinations, h).value);
  }
}

TEST(PopsRelation, two_elements_of_a_processor_move_alike) {
  Random random(22);
  for (int round = 0; round < 30; ++round) {
    testing::Draft request = pops_request(3, 2, random_permutation(6, random));
    request.elements = 2;
    EXPECT_LE(replayed_slots(pops_relation, request), 6U);
  }
  const testing::Draft map = pops_request(BitMap::from_places(std::vector<int>{2, 0, 1}, 1), 2, 3);
  EXPECT_EQ(replayed_slots(pops_relation, map), 12U);
}

TEST(PopsRelation, more_data_than_can_be_listed_are_refused) {
  std::vector<Word> to(bit(23), 0);
  testing::Draft request = pops_request(bit(11), bit(10), to);
  request.elements = 4;
  EXPECT_TRUE(pops_relation.refusal(request).has_value());
}

}  // namespace
}  // namespace faro
