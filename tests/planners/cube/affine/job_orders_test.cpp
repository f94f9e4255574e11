// Orders of jobs: random maps come within a step of the aim.
#include "planners/cube/affine/job_orders.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "planners/cube/affine/affine_jobs.hpp"
#include "planners/cube/affine/mirrored.hpp"
#include "planners/planning.hpp"
#include "waiting_maps.hpp"

namespace faro {
namespace {

using testing::aim_of;
using testing::built_and_verified;
using testing::waiting;
using testing::Waiting;

// Never dearer than the plans that it begins with, at the aim or near it.
TEST(AffineOrders, random_maps_take_one_step_above_the_aim_at_most) {
  Random random(11);
  testing::Judged judged(testing::sanitized() ? 10 : 30);
  for (int round = 0; round < (testing::full_run()    ? 200
                               : testing::sanitized() ? 15
                                                      : 45);
       ++round) {
    const int n = 1 + static_cast<int>(random.below(6));
    const int m = 1 + static_cast<int>(random.below(4));
    const testing::Draft request = testing::cut_request(testing::random_affine(n + m, random), m);
    if (affine_orders.refusal(request)) continue;
    const Count steps = built_and_verified(affine_orders, request, true).steps;
    for (const PlannerEntry* start : {&affine_ring, &affine_shop})
      EXPECT_LE(steps, start->offer(request).estimate.cost.value);
    EXPECT_LE(steps, aim_of(request) + 1) << n << " " << m << " round " << round;
    ++judged;
  }
}

// The common order takes K/2 + n - 1 steps: 41, 47 and 51 for prefix sums.
TEST(AffineOrders, jobs_with_orders_of_their_own_wait_less) {
  struct Case {
    Waiting kind;
    int n;
    int most;
  };
  for (const Case& c : {Case{Waiting::prefix, 10, 36}, Case{Waiting::prefix, 16, 37},
                        Case{Waiting::prefix, 20, 38}, Case{Waiting::tree, 12, 36}}) {
    if (c.n != 10 && !testing::full_run()) continue;
    const testing::Draft request = waiting(c.kind, c.n, 6);
    EXPECT_LE(built_and_verified(affine_orders, request, false).steps, c.most) << c.n;
  }
  if (!testing::full_run()) return;
  const testing::Draft tree = waiting(Waiting::tree, 16, 6);
  EXPECT_LE(built_and_verified(affine_few_mirrors, tree, false).steps, 38);
}

TEST(AffineOrders, what_was_offered_is_pushed) {
  testing::one_search_serves_all(affine_orders, waiting(Waiting::prefix, 7, 4));
}

TEST(AffineOrders, what_memory_does_not_feed_is_refused) {
  EXPECT_TRUE(affine_orders.refusal(
      Request(testing::cube_request_of(3, BitMap::from_places(std::vector<int>{2, 1, 0}), 8))));
  EXPECT_TRUE(affine_orders.refusal(Request(waiting(Waiting::star, 4, 10))));
  EXPECT_FALSE(affine_orders.refusal(Request(waiting(Waiting::star, 4, 9))));
}

}  // namespace
}  // namespace faro
