// Numbers of elements between powers of two: right, and never dearer than their parts.
#include "planners/cube/affine/elements_in_parts.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "base/random.hpp"
#include "draft.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "maps.hpp"
#include "planners/cube/affine/absent.hpp"
#include "planners/part.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;

Count steps_of(const char* map, const char* machine, std::uint64_t elements) {
  return testing::planned(Request::of(map, machine, elements), {.verify = VerifyBy::both}).value();
}

// With one port a power of two of elements K takes 3K + 3 steps, and the others no more than that.
TEST(ElementsInParts, numbers_beside_powers_of_two_cost_what_is_between) {
  EXPECT_EQ(steps_of("a:6 -> rev(a)", "cube:6,one-port", 3), Count{12});
  EXPECT_EQ(steps_of("a:6 -> rev(a)", "cube:6,one-port", 7), Count{24});
  EXPECT_EQ(steps_of("a:6 -> rev(a)", "cube:6,one-port", 8), Count{27});
  EXPECT_EQ(steps_of("a:6 -> rev(a)", "cube:6,one-port", 11), Count{36});
  EXPECT_EQ(steps_of("a:6 -> rev(a)", "cube:6,one-port", 24), Count{75});
  EXPECT_EQ(steps_of("a:5 -> rev(a)", "cube:5,one-port", 24), Count{50});
  EXPECT_EQ(steps_of("a:9 -> rev(a)", "cube:9", 12), Count{9});
}

TEST(ElementsInParts, more_elements_of_a_reversal_never_cost_less) {
  for (const char* machine : {"cube:6,one-port", "cube:6"}) {
    Count before = 0;
    for (std::uint64_t elements = 1; elements <= 16; ++elements) {
      const Count steps = steps_of("a:6 -> rev(a)", machine, elements);
      EXPECT_LE(before, steps) << machine << " K=" << elements;
      before = steps;
    }
  }
}

// A part has the cost of its plan, and the whole no more than parts of 2^i elements: one that has
// room for all, or those that K is the sum of.
TEST(ElementsInParts, random_maps_are_right_and_cost_no_more_than_their_parts) {
  Random random(2);
  testing::Judged judged(30);
  for (int round = 0; round < (testing::full_run() ? 1500 : 50); ++round) {
    const int n = 3 + static_cast<int>(random.below(5));
    const std::vector<int> places = testing::random_places(n, random);
    const BitMap map = round % 2 == 0 ? BitMap::from_places(places, random.next() & low_mask(n))
                                      : testing::random_affine(n, random);
    const Hypercube cube{n, round % 4 < 2 ? Hypercube::Ports::one : Hypercube::Ports::all};
    const testing::Draft request{
        .machine = cube, .map = {.map = map}, .destinations = {}, .elements = 1 + random.below(24)};
    if (elements_in_parts.refusal(request)) continue;
    const Count steps = built_and_verified(elements_in_parts, request, true).steps;
    ++judged;
    const auto planned = [&](std::uint64_t elements) {
      return cheapest_offer(Request::of(cube, MapGoal{.map = map}, elements), Searching::few)
          .estimate.cost.value;
    };
    EXPECT_LE(steps, planned(std::bit_ceil(request.elements))) << "K=" << request.elements;
    Count sum = 0;
    for (std::uint64_t size = 1; size <= request.elements; size *= 2)
      if ((request.elements & size) != 0) sum += planned(size);
    EXPECT_LE(steps, sum) << "K=" << request.elements;
  }
}

TEST(ElementsInParts, large_cubes_are_proved) {
  for (const char* machine : {"cube:40,one-port", "cube:40", "cube:60"})
    for (const char* map : {"a -> rev(a)", "a -> ungray(a)"}) {
      const testing::Draft request{.machine = machine_from(machine),
                                   .map = Request::of(map, machine).map(),
                                   .destinations = {},
                                   .elements = 10};
      (void)built_and_verified(elements_in_parts, request, false);
    }
}

// Jobs alone take 48 steps for these, the bound is 33; half of the elements are few enough for a
// search of every path.
TEST(ElementsInParts, powers_of_two_beyond_what_is_listed_are_planned_in_listed_parts) {
  for (const char* map :
       {"p -> matrix(4, 9, 32, 2, 8, 16)(p)", "p -> matrix(1, 2, 6, 8, 16, 40)(p)"}) {
    const Request request = Request::of(map, "cube:6", 64);
    const MachinePlan made =
        testing::planned(request, {.algorithm = "elements-in-parts", .verify = VerifyBy::both});
    EXPECT_LE(made.value(), 40U) << map;
    EXPECT_EQ(made.value(), plan(request).value()) << map;
  }
  EXPECT_TRUE(elements_in_parts.refusal(Request::of("i:6 -> rev(i)", "cube:6", 32)));
  EXPECT_TRUE(elements_in_parts.refusal(Request::of("i:6 -> rev(i)", "cube:6", 512)));
}

TEST(ElementsInParts, one_offer_pushes_the_same_steps_as_another) {
  testing::one_search_serves_all(elements_in_parts,
                                 Request::of("a:5 -> rev(a)", "cube:5,one-port", 7));
}

TEST(ElementsInParts, refuses_powers_of_two_and_elements_with_goals_of_their_own) {
  EXPECT_TRUE(elements_in_parts.refusal(Request::of("i:3 -> rev(i)", "cube:3", 8)));
  EXPECT_TRUE(elements_in_parts.refusal(Request::of("i:3 -> rev(i)", "cube:3,2-ports", 7)));
  EXPECT_TRUE(elements_in_parts.refusal(Request::of("p:2 | m:2 -> m | p", "cube:2")));
  EXPECT_FALSE(elements_in_parts.refusal(Request::of("i:3 -> rev(i)", "cube:3", 7)));
}

// Two processors exchange slot 1 through slot 2; with slot 1 absent all of it is left out. A slot
// that was absent and got an element somewhere is read there alone.
TEST(Absent, what_reads_an_empty_slot_is_left_out) {
  const auto step_of = [](Rule rule) {
    CubeStep step;
    step.rules.push_back(std::move(rule));
    return step;
  };
  const CubeStep there = step_of({.where = {}, .from = 1, .across = 0, .to = 2});
  const CubeStep some = step_of({.where = {{1, 0}}, .from = 0, .across = 0, .to = 1});
  const CubeStep back = step_of({.where = {}, .from = 1, .across = 0, .to = 0});
  const CubeStep left = step_of({.where = {{1, 1}}, .from = 1, .across = 0, .to = 0});
  EXPECT_EQ(
      without_absent({.dimensions = 1, .slots = 3, .steps = {there, some, back}}, {true, false}),
      (std::vector<CubeStep>{some, left}));
}

}  // namespace
}  // namespace faro
