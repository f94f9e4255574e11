// Bounds of POPS networks, with what makes each of them larger than the one before.
#include "machines/pops/bounds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "faro/machines/verifier.hpp"
#include "faro/planners/planner.hpp"
#include "machines/certificates/check.hpp"

namespace faro {
namespace {

Bound bound_of(const Request& request) {
  return lower_bound(std::get<Pops>(request.machine()), request.map(), request.elements());
}

// The 32 data of each group go to one group: k of them straight in k slots, the others are sent
// twice by four processors. 64 - k <= 4 k.
TEST(PopsBounds, what_does_not_go_straight_is_sent_twice) {
  const Request request = Request::of("i:6 -> i ^ 0x38", "pops:4,16", 8);
  ScheduleHeader header;
  header.machine = request.machine();
  header.goal = request.map();
  header.elements = header.slots = request.elements();
  header.bound = bound_of(request);
  EXPECT_EQ(header.bound->value, Count{13});
  EXPECT_TRUE(std::holds_alternative<certificate::Hops>(header.bound->certificate));
  EXPECT_EQ(certificates::check_bound(header).answer, Verdict::BoundAnswer::checked);
  header.bound->value = 14;
  EXPECT_TRUE(certificates::check_bound(header).refuted.has_value());
}

// By a table and in closed form.
TEST(PopsBounds, what_is_sent_twice_is_bounded_on_networks_of_any_size) {
  for (const auto& [local, groups] : {std::pair{2, 6}, {2, 11}, {4, 9}, {5, 11}, {20, 30}}) {
    const std::string map = "i:" + std::to_string(local + groups) + " -> i ^ " +
                            std::to_string(bit(local + groups - 1));
    const Machine machine = Pops{.group_size = bit(local), .groups = bit(groups)};
    for (const std::uint64_t elements : {2U, 3U, 9U}) {
      // 2 d K - k <= d k
      const Count d = bit(local);
      EXPECT_EQ(bound_of(Request::of(map, to_string(machine), elements)).value,
                ceil_div(2 * d * elements, d + 1))
          << map << " " << elements;
    }
  }
}

// The perfect shuffle: groups in pairs have the same goals, so that the couplers between them are
// idle in the first slot. One more than the hops alone prove, and what the planners take.
TEST(PopsBounds, couplers_between_groups_of_equal_goals_are_idle_in_the_first_slot) {
  for (const auto& [machine, bits, slots] :
       {std::tuple{"pops:32,8", 8, 8U}, {"pops:128,16", 11, 16U}, {"pops:512,32", 14, 32U}}) {
    ScheduleHeader header;
    const Request request = Request::of("i:" + std::to_string(bits) + " -> rot(i,1)", machine);
    header.machine = request.machine();
    header.goal = request.map();
    header.elements = header.slots = 1;
    header.bound = bound_of(request);
    EXPECT_EQ(header.bound->value, Count{slots}) << machine;
    EXPECT_TRUE(std::holds_alternative<certificate::Hops>(header.bound->certificate)) << machine;
    EXPECT_EQ(certificates::check_bound(header).answer, Verdict::BoundAnswer::checked) << machine;
    header.bound->value = slots + 1;
    EXPECT_TRUE(certificates::check_bound(header).refuted.has_value()) << machine;
  }
}

TEST(PopsBounds, nothing_moves_without_slots) {
  EXPECT_EQ(bound_of(Request::of("i:5 -> i", "pops:4,8", 7)).value, Count{0});
  EXPECT_EQ(bound_of(Request::of("i:50 -> i", "pops:1048576,1073741824", 7)).value, Count{0});
}

}  // namespace
}  // namespace faro
