// Plans with loops: never dearer than plans that list every step, right by replay and by proof, and
// as near to the bound for a billion elements as for a thousand.
#include "planners/loops.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>

#include "base/random.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

// What all others plan.
MachinePlan listed(const Request& request) {
  PlanOptions options;
  options.verify = VerifyBy::nobody;
  options.ask = PlanOptions::Ask::own_planners;
  for (const Planner* planner : asked_planners())
    if (!planner->asks_for_fewer()) options.planners.push_back(planner);
  return plan(request, options);
}

struct Alike {
  const char* map;
  const char* machine;
};
constexpr Alike alike[] = {
    {"a:3 -> ungray(a)", "cube:3"},
    {"a:5 -> ungray(a)", "cube:5"},
    {"a:6 -> gray(a)", "cube:6"},
    {"a:4 -> rev(a)", "cube:4"},
    {"a:5 -> rev(a)", "cube:5"},
    {"a:3 -> rot(a, 1)", "cube:3"},
    {"a:4 -> ~a", "cube:4"},
    {"a:2 b:3 -> ungray(a) ungray(b)", "cube:5"},
    {"a:3 -> gray(a)", "cube:3,one-port"},
    {"i:4 -> rev(i)", "pops:4,4"},
    {"i:3 -> ~i", "ranks:8"},
    {"i:3 -> rev(i)", "ranks:8"},
};

TEST(Loops, are_never_dearer_than_steps_listed_one_by_one) {
  Random random(61);
  int looped = 0;
  int all = 0;
  for (const Alike& c : alike)
    for (int trial = 0; trial < (testing::full_run() ? 40 : 2); ++trial) {
      const std::uint64_t elements = looped_elements_min + 1 + random.below(600);
      const Request request = Request::of(c.map, c.machine, elements);
      const MachinePlan made = testing::planned(request);
      EXPECT_LE(made.value(), listed(request).value())
          << c.map << ' ' << c.machine << ' ' << elements;
      ++all;
      if (made.header().entries != ScheduleHeader::Entries::loops) continue;
      ++looped;
      testing::judged_file(made, {VerifyBy::both});
    }
  EXPECT_GE(10 * looped, 9 * all) << looped << " of " << all;
}

TEST(Loops, a_billion_elements_are_as_near_to_the_bound_as_a_thousand) {
  Random random(62);
  std::size_t looped = 0;
  for (const Alike& c : alike) {
    const std::uint64_t few = 2000 + random.below(100);
    const std::uint64_t many = few + 840 * 1190000;
    const MachinePlan small = listed(Request::of(c.map, c.machine, few));
    const MachinePlan made = testing::planned(Request::of(c.map, c.machine, many));
    if (made.header().entries != ScheduleHeader::Entries::loops) continue;
    ++looped;
    // In proportion, and three steps.
    EXPECT_LE(made.value() * small.bound().value, (small.value() + 3) * made.bound().value)
        << c.map << ' ' << c.machine << ' ' << many;
    EXPECT_LT(testing::judged_file(made, {VerifyBy::automatic}).size(), std::size_t{4} << 20U);
  }
  EXPECT_GE(looped, std::size(alike) - 1);
}

TEST(Loops, of_memory_bits_that_move_are_planned_for_a_few_others_that_stay) {
  for (const char* map :
       {"p:3 | m:M -> p[2:1] m[0] | m[N:1] p[0]", "p:2 | m:M -> m[1:0] | m[N:2] p"})
    for (const int memory : {11, 12, 24}) {
      std::string words = map;
      words.replace(words.find('M'), 1, std::to_string(memory));
      words.replace(words.find('N'), 1, std::to_string(memory - 1));
      const std::string machine = words[2] == '3' ? "cube:3" : "cube:2";
      const Request request = Request::of(words, machine);
      const MachinePlan made = testing::planned(request);
      EXPECT_EQ(made.planner(), "cube-loops") << words;
      if (memory == 11) {
        EXPECT_LE(made.value(), listed(request).value()) << words;
      }
      EXPECT_LE(made.gap(), 8) << words;
    }
}

TEST(Loops, where_plans_do_not_go_on_alike_a_few_elements_are_moved_a_lap) {
  struct Case {
    const char* map;
    const char* machine;
    std::uint64_t elements;
    Count most;  // steps; plans that list every step take 1553, 1908 and 1334
  };
  for (const Case& c : {Case{"p:2 -> matrix(3, 2)(p) ^ 1", "cube:2,one-port", 1035, 1424},
                        Case{"p:4 -> matrix(15, 11, 5, 2)(p) ^ 13", "cube:4", 2409, 1462},
                        Case{"p:3 -> matrix(7, 4, 1)(p) ^ 6", "cube:3", 1439, 1001}}) {
    const Request request = Request::of(c.map, c.machine, c.elements);
    const MachinePlan made = testing::planned(request);
    EXPECT_EQ(made.planner(), "cube-loops") << c.map;
    EXPECT_LE(made.value(), c.most) << c.map;
    testing::judged_file(made, {VerifyBy::both});
    if (c.elements != 1035) continue;
    // As near to the bound with a billion elements.
    const MachinePlan many = testing::planned(request.with_elements(1000000000 + c.elements));
    EXPECT_LE(many.value() * made.bound().value, (made.value() + 3) * many.bound().value) << c.map;
  }
}

// Their plans for a few are plans for 256, whose slots are no more for more elements.
TEST(Loops, plans_for_the_next_power_of_two_do_not_go_on) {
  for (const auto& [map, machine] :
       {std::pair{"i:2 -> i[0] i[1]", "cube:2,one-port"}, {"i:3 -> rev(i)", "cube:3,one-port"}})
    for (const std::uint64_t elements : {1025U, 1062U, 1136U, 2986U})
      testing::judged_file(testing::planned(Request::of(map, machine, elements)), {VerifyBy::both});
}

TEST(Loops, a_few_elements_have_the_plans_that_they_had) {
  const Request request = Request::of("a:4 -> ungray(a)", "cube:4", looped_elements_min);
  EXPECT_EQ(plan(request).fingerprint(), listed(request).fingerprint());
}

TEST(Loops, say_what_they_do_not_take) {
  const auto says = [](const Planner& planner, const char* map, const char* machine,
                       std::uint64_t elements) {
    return planner.refusal(Request::of(map, machine, elements)).value_or("");
  };
  EXPECT_EQ(says(cube_loops, "a:3 -> ungray(a)", "cube:3", 1024),
            "there are few elements: they need no loops");
  EXPECT_EQ(says(cube_loops, "a:3 -> ungray(a)", "cube:3", std::uint64_t{1} << 33U),
            "slots are numbers of 32 bits; 8589934592 elements have more");
  EXPECT_EQ(says(cube_loops, "a:3 -> ~a", "ranks:8", 5000), "it is for another machine");
  EXPECT_EQ(says(cube_loops, "a:3 -> ~a", "cube:3", 5000), "");
}

}  // namespace
}  // namespace faro
