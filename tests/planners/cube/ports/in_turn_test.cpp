// Cubes with k ports: plans for all ports taken in turn, proved for every k.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/random.hpp"
#include "draft.hpp"
#include "faro/base/error.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "maps.hpp"
#include "planners/cube/ports/planners.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

Hypercube cube_with(int dimensions, int ports) {
  return {dimensions, ports == dimensions ? Hypercube::Ports::all : Hypercube::Ports{ports}};
}

Count steps_of(const Request& request) {
  return testing::planned(request, {.verify = VerifyBy::both}).value();
}

// More ports never cost more, and what the whole cube has and one port has bound them.
TEST(PortsInTurn, every_number_of_ports_is_planned_proved_and_ordered) {
  struct Asked {
    const char* map;
    int dimensions;
    std::uint64_t elements;  // 0: those of the map
  };
  constexpr Asked all[] = {{"a:4 -> ungray(a)", 4, 9},
                           {"a:5 -> gray(a)", 5, 12},
                           {"a:4 -> rev(a)", 4, 7},
                           {"a:4 -> ~a", 4, 4},
                           {"a:4 | m:4 -> m | a", 4, 0},
                           {"a:3 | m:4 -> a[1:0] m[3] | m[2:0] a[2]", 3, 0},
                           {"a:4 | m:3 -> gray((a m))[6:3] | (a m)[2:0]", 4, 0}};
  for (const Asked& asked : all) {
    if (testing::sanitized() && asked.elements > 7) continue;
    Count before = 1 << 20;
    for (int ports = 1; ports <= asked.dimensions; ++ports) {
      const std::string on = to_string(cube_with(asked.dimensions, ports));
      const Count steps =
          steps_of(asked.elements == 0 ? Request::of(asked.map, on)
                                       : Request::of(asked.map, on, asked.elements));
      EXPECT_LE(steps, before) << asked.map << " on " << on;
      before = steps;
    }
  }
}

TEST(PortsInTurn, all_to_all_stays_optimal_where_ports_divide_the_dimensions) {
  for (const auto& [n, ports, steps] : {std::tuple{4, 2, 16U}, {6, 2, 96U}, {6, 3, 64U}}) {
    const std::string bits = std::to_string(n);
    const Request request =
        Request::of("a:" + bits + " | m:" + bits + " -> m | a", to_string(cube_with(n, ports)));
    EXPECT_EQ(steps_of(request), Count{steps});
    EXPECT_EQ(plan(request).bound().value, Count{steps});
  }
}

// With one port six steps for two elements of a rotation, dimension after dimension: a second pair
// follows a step behind. Turns of the plan for all ports take 12.
TEST(PortsSideBySide, pairs_of_elements_follow_one_another) {
  const Request request = Request::of("i:6 -> rot(i, 1)", "cube:6,2-ports", 4);
  const MachinePlan made =
      plan(request, {.algorithm = "ports-side-by-side", .verify = VerifyBy::both});
  EXPECT_EQ(made.cost().steps, Count{7});
  EXPECT_EQ(made.bound().value, Count{7});
}

TEST(PortsSideBySide, random_maps_are_right_and_nothing_moves_in_nothing) {
  Random random(17);
  testing::Judged judged(testing::sanitized() ? 4 : 12);
  for (int round = 0; round < (testing::full_run()    ? 2000
                               : testing::sanitized() ? 6
                                                      : 15);
       ++round) {
    const int n = 3 + static_cast<int>(random.below(4));
    const int ports = 2 + static_cast<int>(random.below(static_cast<std::uint64_t>(n) - 2));
    const testing::Draft request{.machine = cube_with(n, ports),
                                 .map = {.map = testing::random_affine(n, random)},
                                 .destinations = {},
                                 .elements = 1 + random.below(40)};
    if (ports_side_by_side.refusal(request)) continue;
    (void)testing::built_and_verified(ports_side_by_side, request, n < 6);
    ++judged;
  }
  const testing::Draft still{.machine = cube_with(3, 2),
                             .map = {.map = BitMap::identity(3)},
                             .destinations = {},
                             .elements = 7};
  EXPECT_EQ(testing::built_and_verified(ports_side_by_side, still, true).steps, Count{0});
}

TEST(PortsInTurn, lists_and_large_cubes) {
  Random random(3);
  for (int round = 0; round < 4; ++round) {
    const auto to = testing::random_permutation(16, random);
    (void)steps_of(Request::of(cube_with(4, 2), Destinations{to}));
  }
  testing::planned(Request::of("a:60 -> ungray(a)", "cube:60,7-ports", 20));
}

TEST(PortsInTurn, broadcasts_and_networks_are_refused) {
  EXPECT_THROW((void)Request::of(cube_with(4, 2), Broadcast{}), Error);
  EXPECT_THROW((void)Request::of(cube_with(4, 2), ButterflyNetwork{.index_bits = 6}), Error);
}

TEST(Ports, are_said_in_words_and_nothing_else_is_a_number_of_ports) {
  EXPECT_EQ(to_string(machine_from("cube:6,2-ports")), "cube:6,2-ports");
  EXPECT_TRUE(machine_from("cube:6,5-ports") == Machine{cube_with(6, 5)});
  for (const char* wrong : {"cube:6,1-ports", "cube:6,6-ports", "cube:6,0-ports", "cube:6,-2-ports",
                            "cube:6,2-port", "cube:6,2", "cube:2,2-ports"})
    EXPECT_THROW((void)machine_from(wrong), Error) << wrong;
  for (const int ports : {-1, 4, 9})
    EXPECT_THROW(
        (void)Request::of(Hypercube{4, Hypercube::Ports{ports}}, MapGoal{BitMap::identity(4)}),
        Error);
}

// Random rules in one step: both verifiers see too many ports where somebody counts them.
TEST(Ports, both_verifiers_count_them) {
  Random random(11);
  int broken = 0;
  const int rounds = testing::full_run() ? 5000 : 400;
  for (int round = 0; round < rounds; ++round) {
    const int ports = 2 + static_cast<int>(random.below(2));
    ScheduleHeader header;
    header.machine = cube_with(4, ports);
    header.goal = MapGoal{.map = BitMap::identity(4)};
    header.elements = 2;
    header.slots = 8;
    CubeStep step;
    std::vector<std::set<int>> used(16);
    for (std::uint64_t i = 0, rules = 2 + random.below(5); i < rules; ++i) {
      Rule rule{.from = static_cast<Slot>(random.below(2)),
                .across = static_cast<int>(random.below(4)),
                .to = static_cast<Slot>(2 + i)};
      for (std::uint64_t c = random.below(4); c > 0; --c)
        rule.where.push_back({1 + random.below(15), static_cast<unsigned>(random.below(2))});
      for (Word p = 0; p < 16; ++p)
        if (std::all_of(rule.where.begin(), rule.where.end(),
                        [p](const Parity& c) { return c.holds(p); }))
          for (const Word q : {p, p ^ bit(rule.across)}) used[q].insert(rule.across);
      step.rules.push_back(rule);
    }
    const bool crowded = std::any_of(used.begin(), used.end(), [ports](const std::set<int>& d) {
      return static_cast<int>(d.size()) > ports;
    });
    broken += crowded ? 1 : 0;
    const auto replay = make_replay();
    const auto proof = make_proof();
    for (Verifier* verifier : {replay.get(), proof.get()}) {
      verifier->begin(header);
      verifier->step(step);
      verifier->finish();
      const Verdict verdict = verifier->verdict();
      EXPECT_EQ(std::any_of(verdict.violations.begin(), verdict.violations.end(),
                            [](const Violation& v) { return std::string(v.rule) == "ports"; }),
                crowded)
          << verdict.by << " round " << round;
    }
  }
  EXPECT_GT(broken, rounds / 10);
  EXPECT_LT(broken, rounds * 9 / 10);
}

}  // namespace
}  // namespace faro
