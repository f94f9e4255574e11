#include "faro/service/plan.hpp"

#include <gtest/gtest.h>

#include "faro/service/catalogue.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::cube_request_of;
using testing::gray_to_binary;

TEST(Plan, is_verified_and_bounded) {
  const PlanReport report = plan(cube_request_of(4, gray_to_binary({4}), 2));
  EXPECT_EQ(report.estimate.cost.value, report.value());
  EXPECT_EQ(report.value(), Count{3});
  EXPECT_EQ(report.bound.value, Count{3});
  EXPECT_EQ(report.gap(), Count{0});
  ASSERT_EQ(report.verdicts.size(), 2U);
  EXPECT_TRUE(report.verdicts[0].ok() && report.verdicts[1].ok());
  ASSERT_EQ(report.crossings.size(), 4U);
  EXPECT_EQ(report.crossings[3], Count{0});
  EXPECT_EQ(report.crossings[0], Count{16});  // half of 32 elements
}

TEST(Plan, takes_the_cheapest_that_applies_and_obeys_a_pin) {
  const Request request = cube_request_of(4, gray_to_binary({4}), 7);
  const PlanReport best = plan(request);
  for (const Considered& c : best.considered)
    if (c.estimate) {
      EXPECT_LE(best.value(), c.estimate->cost.value);
    }
  EXPECT_STREQ(plan(request, {.algorithm = "row-operations"}).planner->name, "row-operations");
}

TEST(Plan, says_why_a_pinned_algorithm_does_not_apply) {
  const std::vector<int> reversed{2, 1, 0};
  const Request request = cube_request_of(3, BitMap::from_places(reversed), 1);
  try {
    plan(request, {.algorithm = "minimum-path"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::impossible);
    EXPECT_NE(std::string(e.what()).find("Gray"), std::string::npos);
  }
  EXPECT_THROW(plan(request, {.algorithm = "no-such"}), Error);
}

TEST(Plan, hands_the_sink_a_header_with_cost_and_bound) {
  RecordingSink sink;
  PlanOptions options;
  options.map_text = "p:4 -> ungray(p)";
  options.sink = &sink;
  const PlanReport report = plan(cube_request_of(4, gray_to_binary({4}), 2), options);
  EXPECT_EQ(sink.header.cost, report.cost);
  EXPECT_EQ(sink.header.bound, report.bound);
  EXPECT_EQ(sink.header.map_text, "p:4 -> ungray(p)");
  EXPECT_EQ(sink.cube_steps.size(), 3U);
}

// One chain of three dimensions, K = 64: the ring takes max(3, 32/B) + 1 steps of 4 + B.
TEST(Plan, prices_choose_the_schedule_that_is_written) {
  const std::vector<int> places{0, 1, 2, 3, 4, 6, 7, 8, 5};
  const Request request{.machine = Hypercube{.dimensions = 3},
                        .map = {.map = BitMap::from_places(places), .cut = true, .memory_bits = 6},
                        .destinations = {},
                        .elements = 64};
  RecordingSink sink;
  PlanOptions options;
  options.sink = &sink;
  options.packets = PacketPrices{.startup = 3, .transfer = 1, .packet_elements = 0};
  const PlanReport report = plan(request, options);
  ASSERT_TRUE(report.packets.has_value());
  EXPECT_EQ(report.packets->prices.packet_elements, 8U);
  EXPECT_EQ(report.packets->startups, report.value());
  EXPECT_EQ(sink.header.elements, 8U);
  EXPECT_EQ(sink.header.planner, report.packets->planner);
  EXPECT_TRUE(report.ok());
  ASSERT_TRUE(report.packets->below && report.packets->above);
  EXPECT_EQ(report.packets->below->packet_elements, 4U);
  EXPECT_EQ(report.packets->above->packet_elements, 16U);
  EXPECT_LT(report.packets->below->startup, 3);
  EXPECT_GT(report.packets->above->startup, 3);
}

TEST(Catalogue, names_are_unique_and_found) {
  for (const Planner* p : catalogue()) EXPECT_EQ(find_planner(p->name), p);
  EXPECT_EQ(find_planner("none of this name"), nullptr);
}

}  // namespace
}  // namespace faro
