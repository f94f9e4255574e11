#include "butterfly/planned.hpp"
#include "full.hpp"

namespace faro::testing {
namespace {

struct Largest {
  int n;
  int m;
};

Largest largest() {
  if (full_run()) return {8, 5};
  return sanitized() ? Largest{3, 3} : Largest{5, 4};
}

// Every planner on everything it accepts: right, by both verifiers, at exactly the cost it
// promises.
TEST(butterfly_planners, build_what_they_promise) {
  int built = 0;
  for (int n = 0; n <= largest().n; ++n) {
    for (int m = 0; m <= largest().m; ++m) {
      if (n + m == 0) continue;
      for (const ButterflyRequest& request : requests(n, m)) {
        for (const ButterflyPlanner* planner : butterfly_planners()) {
          if (planner->refusal(request)) continue;
          const bool search = planner->kind == ButterflyPlanner::Kind::search;
          if (search && n + m > (full_run() ? 7 : 4)) continue;
          SCOPED_TRACE(fmt::format("{}: {}", planner->name, text_of(request)));
          const RecordingSink schedule = recorded(*planner, request);
          const Verdict proof = proved(schedule);
          EXPECT_TRUE(proof.ok()) << first_violation(proof);
          EXPECT_EQ(to_string(proof.cost.steps), to_string(planner->estimate(request).cost.value));
          if (n + m <= 9) {
            const Verdict replay = replayed(schedule);
            EXPECT_TRUE(replay.ok()) << first_violation(replay);
            EXPECT_EQ(to_string(replay.cost.remote_moves), to_string(proof.cost.remote_moves));
          }
          ++built;
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(built, 500);
}

}  // namespace
}  // namespace faro::testing
