// Bounds of butterfly networks on cubes: certificates hold, and what is local costs nothing.
#include <algorithm>
#include <bit>

#include "faro/service/plan.hpp"
#include "full.hpp"
#include "machines/certificates/check.hpp"
#include "planners/cube/butterfly/planned.hpp"
#include "planners/cube/butterfly/rows.hpp"

namespace faro::testing {
namespace {

using certificates::check_bound;

// Index bits that no row of a processor holds at the start.
int local_bits(const ButterflyNetwork& network) {
  Word apart = 0;
  for (const butterfly::Form& row : butterfly::start_rows(network)) apart |= row.mask;
  return network.index_bits - std::popcount(apart);
}

bool proves(ScheduleHeader header, Bound bound) {
  header.bound = std::move(bound);
  const auto check = check_bound(header);
  return !check.refuted && check.answer == Verdict::BoundAnswer::checked;
}

// K/2, one more where fewer bits are local than there are dimensions, n; K where memory comes last:
// certified for the rows that every plan leaves, and no plan is below. One step more than any bound
// is not certified.
TEST(butterfly_bound, is_certified_for_every_plan_and_knows_of_the_first_step) {
  int judged = 0;
  int later = 0;
  int met = 0;
  for (int n = 1; n <= (full_run() ? 6 : 4); ++n)
    for (int m = 1; m <= (full_run() ? 6 : 5); ++m)
      for (const ButterflyNetwork& network : requests(n, m)) {
        if (network.finish == Finish::restored) continue;
        SCOPED_TRACE(text_of(network));
        const Request request = request_of(network);
        const Bound bound = bound_of(request);
        const Count dimensions = static_cast<Count>(n);
        const bool early = butterfly::memory_first(network);
        const bool late = early && local_bits(network) < n;
        const Count least = early ? bit(m - 1) + (late ? 1 : 0) : bit(m);
        ASSERT_EQ(bound.value, std::max(dimensions, least));
        for (const Planner* planner : butterfly_planners()) {
          if (planner->searches() || planner->refusal(request)) continue;
          SCOPED_TRACE(planner->name());
          const RecordingSink schedule = recorded(planner->offer(request));
          const Verdict proof = proved(schedule);
          ASSERT_TRUE(proof.ok()) << first_violation(proof);
          ASSERT_GE(proof.cost.steps, bound.value);
          ASSERT_TRUE(proves(schedule.header, bound));
          Bound more = bound;
          more.value = std::max<Count>(bit(m), dimensions) + 1;
          ASSERT_FALSE(proves(schedule.header, more));
          if (late && proof.cost.steps == bound.value && bound.value > dimensions) ++met;
          ++judged;
        }
        if (late && least > dimensions) ++later;
      }
  EXPECT_GT(judged, 600);
  EXPECT_GT(later, 30);
  EXPECT_GT(met, 5);
}

// Where all rows at the end are local at the start there is a plan of K/2 steps: what proves one
// more of other rows proves nothing of these.
TEST(butterfly_bound, does_not_speak_of_rows_that_are_local) {
  int judged = 0;
  for (int n = 2; n <= 4; ++n)
    for (const ButterflyNetwork& network : requests(n, n + 1)) {
      const Request request = request_of(network);
      const Planner* planner = find_planner("butterfly-sectioning");
      if (network.finish == Finish::restored || planner->refusal(request)) continue;
      ScheduleHeader header = recorded(planner->offer(request)).header;
      Bound bound = bound_of(request);
      ASSERT_TRUE(proves(header, bound)) << text_of(network);
      ++bound.value;
      ASSERT_FALSE(proves(header, bound)) << text_of(network);
      // One row takes the lowest bit of the field, whose pairs are apart.
      auto& goal = std::get<ButterflyGoal>(header.goal);
      goal.final_processor_rows.back() = bit(butterfly::base_of(network));
      ASSERT_TRUE(proves(header, bound)) << text_of(network);
      ++judged;
    }
  EXPECT_GT(judged, 20);
}

}  // namespace
}  // namespace faro::testing
