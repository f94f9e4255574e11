// Relations of several elements on POPS networks: searched plans against repeated ones.
#include "planners/pops/relation_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "draft.hpp"
#include "machines/pops/bounds.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/relation.hpp"
#include "planners/pops/testing.hpp"

namespace faro {
namespace {

using testing::pops_request;
using testing::random_permutation;
using testing::random_relation;
using testing::replayed_slots;

// Of 40 permutations, at least 36 at the bound: the classes alone reach it in fewer than 10.
TEST(PopsRelationSearch, permutations_cost_no_more_than_their_plan_repeated_mostly_the_bound) {
  Random random(31);
  int at_bound = 0;
  int classes_at_bound = 0;
  for (int round = 0; round < 40; ++round) {
    const std::uint64_t d = 2 + random.below(6);
    const std::uint64_t g = 2 + random.below(std::min<std::uint64_t>(d - 1, 4));
    const std::uint64_t k = 2 + random.below(3);
    testing::Draft request = pops_request(d, g, random_permutation(d * g, random));
    const Count one = pops::slots_of(pops::fewest_slots(Pops{d, g, false}, request.destinations));
    request.elements = k;
    const Count slots = replayed_slots(pops_relation_search, request);
    const Count bound = lower_bound(Pops{d, g, false}, request.destinations, k).value;
    const Count classes = pops_relation.offer(request).estimate.cost.value;
    ASSERT_FALSE(::testing::Test::HasFailure()) << d << " " << g << " " << k;
    ASSERT_LE(slots, k * one) << d << " " << g << " " << k;
    ASSERT_LE(slots, classes);
    ASSERT_GE(slots, bound);
    at_bound += slots == bound ? 1 : 0;
    classes_at_bound += classes == bound ? 1 : 0;
  }
  EXPECT_GE(at_bound, 36);
  EXPECT_LT(classes_at_bound, 10);
}

TEST(PopsRelationSearch, relations_with_entries_left_out_take_no_more_than_their_classes) {
  Random random(32);
  const int rounds = testing::full_run() ? 300 : testing::sanitized() ? 10 : 40;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t d = 1 + random.below(6);
    const std::uint64_t g = 1 + random.below(6);
    const std::uint64_t h = 2 + random.below(3);
    const testing::Draft request = random_relation(d, g, h, random);
    const Count slots = replayed_slots(pops_relation_search, request);
    ASSERT_FALSE(::testing::Test::HasFailure()) << d << " " << g << " " << h;
    ASSERT_LE(slots, pops_relation.offer(request).estimate.cost.value);
    ASSERT_GE(slots, lower_bound(Pops{d, g, false}, request.destinations, h).value);
  }
}

// More data than one search takes: parts of several elements, one after the other, in less than the
// slots of one element at a time.
TEST(PopsRelationSearch, many_elements_are_searched_in_parts) {
  const std::vector<Word> rows{0x1, 0x1a, 0x1e, 0x10, 0x17};
  const BitMap map = BitMap::from_matrix(BitMatrix::from_rows(5, rows), 0x1e);
  const Count slots = replayed_slots(pops_relation_search, pops_request(map, 3, 200));
  const Request one = pops_request(map, 3);
  EXPECT_LE(slots, 185 * pops_fewest_slots.offer(one).estimate.cost.value);
}

TEST(PopsRelationSearch, one_element_is_left_to_others) {
  EXPECT_TRUE(pops_relation_search.refusal(pops_request(BitMap::identity(4), 2)).has_value());
}

}  // namespace
}  // namespace faro
