// Replay and proof of cube schedules give the same verdict and the same count.
#include "machines/cube/verifiers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "machines/cube/samples.hpp"
#include "machines/verdict_of.hpp"

namespace faro {
namespace {

using testing::gray_schedule;

TEST(CubeVerifiers, both_accept_the_conversion_of_gray_code_and_count_alike) {
  for (int n = 2; n <= 9; ++n) {
    for (int elements = 1; elements <= 12; ++elements) {
      const RecordingSink schedule = gray_schedule(n, elements);
      const Verdict replayed = testing::verdict_of(make_replay(), schedule);
      const Verdict proved = testing::verdict_of(make_proof(), schedule);
      ASSERT_TRUE(replayed.ok()) << n << " " << elements << replayed.violations[0].message;
      ASSERT_TRUE(proved.ok()) << n << " " << elements << proved.violations[0].message;
      ASSERT_EQ(replayed.cost, proved.cost);
      ASSERT_EQ(replayed.delivered, proved.delivered);
      ASSERT_EQ(replayed.expected, static_cast<Count>(elements) << n);
      ASSERT_EQ(replayed.cost.steps, static_cast<Count>(std::max(elements, n - 1)));
    }
  }
}

TEST(CubeVerifiers, proof_covers_two_to_the_sixty_processors) {
  const RecordingSink schedule = gray_schedule(60, 100);
  const Verdict proved = testing::verdict_of(make_proof(), schedule);
  EXPECT_TRUE(proved.ok());
  EXPECT_EQ(proved.expected, Count{100} << 60);
  EXPECT_EQ(proved.delivered, proved.expected);
  EXPECT_EQ(proved.cost.steps, 100U);
  EXPECT_THROW(testing::verdict_of(make_replay(), schedule), Error);
}

}  // namespace
}  // namespace faro
