// The searches of the mixture and the router, kept between estimate and build.
#include "faro/planners/workings.hpp"

#include "../planning.hpp"
#include "faro/planners/shuffle/planners.hpp"
#include "requests.hpp"

namespace faro {
namespace {

TEST(Workings, find_once_and_without_them_anew) {
  int searches = 0;
  const auto search = [&searches] { return ++searches; };
  EXPECT_EQ(*found_once(nullptr, "a", search), 1);
  EXPECT_EQ(*found_once(nullptr, "a", search), 2);
  const auto workings = std::make_shared<Workings>();
  EXPECT_EQ(*found_once(workings, "a", search), 3);
  EXPECT_EQ(*found_once(workings, "a", search), 3);
  EXPECT_EQ(*found_once(workings, "b", search), 4);
}

TEST(Workings, change_no_plan_of_a_shuffle) {
  for (const Planner* planner : {&shuffle_mixture, &shuffle_router}) {
    Request request = testing::structured_request(3, {2, 1}, {2}, bit(6));
    ASSERT_FALSE(planner->refusal(request)) << planner->name;
    RecordingSink alone;
    planner->build(request, alone);
    request.workings = std::make_shared<Workings>();
    const Count promised = planner->estimate(request).cost.value;
    RecordingSink kept;
    planner->build(request, kept);
    EXPECT_EQ(alone.cube_steps, kept.cube_steps) << planner->name;
    EXPECT_EQ(to_string(promised),
              to_string(testing::built_and_verified(*planner, request, true).steps));
  }
}

}  // namespace
}  // namespace faro
