// Affine maps on POPS networks: all small maps on all splits, by both verifiers.
#include "planners/pops/affine.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "draft.hpp"
#include "faro/machines/verifier.hpp"
#include "judged.hpp"
#include "memory_asked.hpp"
#include "planners/pops/testing.hpp"

namespace faro {
namespace {

using testing::pops_request;
using testing::random_product;

const Planner* const rule_planners[] = {&pops_affine, &pops_affine_single_hop};

// Builds, verifies by whatever the caller wants, compares the count with the estimate.
::testing::AssertionResult holds(const Planner& planner, const testing::Draft& request,
                                 std::vector<std::unique_ptr<Verifier> (*)()> verifiers) {
  for (auto make : verifiers) {
    const auto verifier = make();
    planner.offer(request).push(*verifier);
    const Verdict verdict = verifier->verdict();
    if (!verdict.ok())
      return ::testing::AssertionFailure()
             << planner.name() << " by " << verdict.by << ": "
             << (verdict.violations.empty() ? verdict.limit : verdict.violations[0].message);
    if (verdict.cost.slots != planner.offer(request).estimate.cost.value)
      return ::testing::AssertionFailure()
             << planner.name() << ": " << to_string(verdict.cost.slots) << " slots counted";
  }
  return ::testing::AssertionSuccess();
}

template <class Visit>
void for_all_maps(int width, Word complements, Visit visit) {
  testing::for_every_matrix(width, [&](const BitMatrix& matrix) {
    for (Word c = 0; c < complements; ++c)
      visit(BitMap::from_matrix(matrix, complements == 1 ? matrix.column(0) : c));
  });
}

TEST(PopsAffine, every_map_of_three_bits_on_every_split_by_both_verifiers) {
  testing::Judged judged(3000);
  for (int width = 1; width <= 3; ++width)
    for_all_maps(width, bit(width), [&](const BitMap& map) {
      for (int ld = 0; ld <= width; ++ld) {
        const testing::Draft request = pops_request(map, ld);
        for (const Planner* planner : rule_planners)
          if (!planner->refusal(request)) {
            ++judged;
            ASSERT_TRUE(holds(*planner, request, {make_replay, make_proof}));
          }
      }
    });
}

// One complement for each matrix by default, all 322 560 maps in the full run.
TEST(PopsAffine, every_map_of_four_bits_on_every_split) {
  const bool full = testing::full_run();
  Word count = 0;
  for_all_maps(4, full ? 16 : 1, [&](const BitMap& map) {
    if (!full && testing::sanitized() && count++ % 16 != 0) return;
    for (int ld = 0; ld <= 4; ++ld)
      ASSERT_TRUE(holds(pops_affine, pops_request(map, ld), {make_replay}));
  });
}

TEST(PopsAffine, random_maps_of_up_to_ten_bits_with_several_elements) {
  Random random(7);
  testing::Judged judged(200);
  for (int round = 0; round < (testing::full_run() ? 3000 : 200); ++round) {
    const int width = 1 + static_cast<int>(random.below(10));
    const int ld = static_cast<int>(random.below(static_cast<Word>(width) + 1));
    const testing::Draft request =
        pops_request(random_product(width, random), ld, 1 + random.below(3));
    for (const Planner* planner : rule_planners)
      if (!planner->refusal(request)) {
        ++judged;
        ASSERT_TRUE(holds(*planner, request, {make_replay, make_proof})) << round;
      }
  }
}

TEST(PopsAffine, sixty_bits_are_planned_and_proved_with_little_memory) {
  Random random(11);
  const testing::Draft request = pops_request(random_product(60, random), 30);
  const testing::MemoryAsked asked =
      testing::memory_asked([&] { ASSERT_TRUE(holds(pops_affine, request, {make_proof})); });
  EXPECT_LT(asked.times, 2000U);
  EXPECT_LT(asked.bytes, 256U << 10U);
}

TEST(PopsAffine, tall_machines_cost_two_slots_a_phase) {
  Random random(12);
  const testing::Draft request = pops_request(random_product(60, random), 33);
  EXPECT_EQ(pops_affine.offer(request).estimate.cost.value, 128U);
  ASSERT_TRUE(holds(pops_affine, request, {make_proof}));
}

TEST(PopsAffine, too_many_slots_to_list_are_refused_with_the_limit) {
  Random random(13);
  const auto why = pops_affine.refusal(pops_request(random_product(60, random), 59));
  ASSERT_TRUE(why.has_value());
  EXPECT_NE(why->find("too many to list"), std::string::npos) << *why;
}

TEST(PopsAffine, the_identity_costs_nothing) {
  const testing::Draft request = pops_request(BitMap::identity(6), 3, 2);
  for (const Planner* planner : rule_planners) {
    EXPECT_EQ(planner->offer(request).estimate.cost.value, 0U);
    ASSERT_TRUE(holds(*planner, request, {make_replay, make_proof}));
  }
}

}  // namespace
}  // namespace faro
