// Listed destinations on cubes: delivered at the promised cost, few steps above the bound.
#include "planners/cube/lists/list_routing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.hpp"
#include "draft.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "maps.hpp"
#include "paths.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::full_run;

testing::Draft list_request(int dimensions, std::uint64_t elements, Hypercube::Ports ports,
                            Random& random) {
  testing::Draft request{.machine = Hypercube{.dimensions = dimensions, .ports = ports}};
  request.elements = elements;
  request.destinations = testing::random_permutation(bit(dimensions), random);
  return request;
}

TEST(ListRouting, random_permutations_are_delivered_at_the_promised_cost) {
  Random random(7);
  for (int n = 3; n <= (full_run() ? 8 : testing::sanitized() ? 5 : 6); ++n)
    for (const std::uint64_t k : {1U, 3U, 8U})
      for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one}) {
        const testing::Draft request = list_request(n, k, ports, random);
        const Count bound = lower_bound(std::get<Hypercube>(request.machine),
                                        std::span<const std::uint64_t>(request.destinations), k)
                                .value;
        for (const Planner* planner : {&shortest_path_lists, &balanced_lists})
          EXPECT_GE(testing::built_and_verified(*planner, request, true).steps, bound);
      }
}

// Destinations of all processors by a map of their numbers.
testing::Draft mapped(int dimensions, std::uint64_t elements, const BitMap& map) {
  testing::Draft request{.machine = Hypercube{.dimensions = dimensions}};
  request.elements = elements;
  for (Word p = 0; p < bit(dimensions); ++p) request.destinations.push_back(map(p));
  return request;
}

BitMap named(const std::string& name, int n) {
  if (name == "gray") return testing::gray_to_binary({n});
  if (name == "vrev") return BitMap::from_matrix(BitMatrix::identity(n), low_mask(n));
  std::vector<int> places;
  for (int i = 0; i < n; ++i)
    places.push_back(name == "bitrev"    ? n - 1 - i
                     : name == "shuffle" ? (i + 1) % n
                                         : (i + n / 2) % n);
  return BitMap::from_places(places);
}

TEST(ListRouting, never_above_the_best_known_of_a_router_by_linear_programs) {
  const auto golden =
      nlohmann::json::parse(std::ifstream(testing::source_path("tests/data/cube_router.json")));
  int compared = 0;
  for (const auto& row : golden.at("rows")) {
    const int n = row.at(1).get<int>();
    const testing::Draft request =
        mapped(n, row.at(2).get<std::uint64_t>(), named(row.at(0).get<std::string>(), n));
    const MachinePlan best = plan(request);
    EXPECT_TRUE(best.ok());
    EXPECT_LE(static_cast<std::uint64_t>(best.cost().steps), row.at(3).get<std::uint64_t>())
        << row.dump() << " " << best.planner();
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

TEST(ListRouting, random_permutations_are_a_few_steps_above_the_bound) {
  Random random(10);
  for (const auto& [n, k] : {std::pair{3, 20}, {4, 20}, {5, 20}, {6, 3}, {6, 20}, {8, 8}}) {
    const testing::Draft request =
        list_request(n, static_cast<std::uint64_t>(k), Hypercube::Ports::all, random);
    const Count bound =
        lower_bound(std::get<Hypercube>(request.machine),
                    std::span<const std::uint64_t>(request.destinations), request.elements)
            .value;
    EXPECT_TRUE(balanced_lists.offer(request).estimate.cost.value <= bound + 5) << n << " " << k;
  }
}

TEST(ListRouting, what_the_estimate_found_is_built) {
  Random random(12);
  for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one})
    for (const Planner* planner : {&shortest_path_lists, &balanced_lists})
      testing::one_search_serves_all(*planner, list_request(4, 5, ports, random));
}

TEST(ListRouting, balancing_pays) {
  Random random(8);
  const testing::Draft request = list_request(6, 16, Hypercube::Ports::all, random);
  EXPECT_TRUE(balanced_lists.offer(request).estimate.cost.value <
              shortest_path_lists.offer(request).estimate.cost.value);
}

TEST(ListRouting, eleven_dimensions_are_refused) {
  Random random(9);
  EXPECT_TRUE(
      shortest_path_lists.refusal(list_request(11, 1, Hypercube::Ports::all, random)).has_value());
}

// An integer program (any storage, one element a directed link and step) needs these steps; other
// planners need one or two more.
TEST(BalancedMaps, small_maps_with_memory_bits_take_the_least_steps) {
  struct Case {
    const char* matrix;
    unsigned constant;
    int processor_bits, memory_bits;
    std::uint64_t steps;
  };
  constexpr Case cases[] = {
      {"0x3, 0xb, 0x6, 0x9", 0x6, 2, 2, 2},
      {"0x7, 0x5, 0x1", 0x7, 2, 1, 2},
      {"0x5, 0x6, 0x1", 0x3, 2, 1, 2},
      {"0x2, 0x6, 0x1", 0x6, 2, 1, 2},
      {"0xe, 0xc, 0x4, 0xf", 0x2, 3, 1, 2},
      {"0x3, 0xf, 0x5, 0xb", 0xb, 3, 1, 2},
      {"0xd, 0x6, 0x5, 0x2", 0xa, 3, 1, 3},
      {"0x3, 0xe, 0x1, 0x9", 0xe, 3, 1, 3},
      {"0x19, 0x14, 0x13, 0x17, 0x15", 0x1f, 3, 2, 3},
      {"0x5, 0x15, 0x13, 0x14, 0x9", 0x12, 3, 2, 2},
      {"0x1c, 0x1e, 0x6, 0x3, 0xe", 0x1d, 3, 2, 3},
      {"0x12, 0x19, 0xc, 0x4, 0x2", 0x9, 3, 2, 3},
  };
  for (const Case& c : cases) {
    const std::string to = fmt::format("(matrix({})(p m) ^ {})", c.matrix, c.constant);
    const int m = c.memory_bits;
    const std::string map = fmt::format("p:{} | m:{} -> {}[{}:{}] | {}[{}:0]", c.processor_bits, m,
                                        to, c.processor_bits + m - 1, m, to, m - 1);
    const MachinePlan made = plan(map, fmt::format("cube:{}", c.processor_bits), {});
    EXPECT_TRUE(made.ok()) << map;
    EXPECT_EQ(made.value(), c.steps) << map;
  }
}

// Others take a step or two more.
TEST(BalancedMaps, few_elements_on_eight_and_nine_dimensions_are_at_the_bound) {
  Random random(89);
  for (const auto& [n, k] : {std::pair{8, 3U}, {8, 8U}, {9, 4U}})
    for (const BitMap& map : {testing::random_affine(n, random),
                              BitMap::from_places(testing::random_places(n, random))}) {
      const testing::Draft request = testing::cube_request_of(n, map, k);
      const Cost cost = testing::built_and_verified(balanced_maps, request, false);
      EXPECT_EQ(cost.steps,
                lower_bound(std::get<Hypercube>(request.machine), request.map, k).value);
    }
}

// What planners of one dimension a step take 14, 15 and 32 steps for, and the dimensions of plans
// for all ports in turn 40, 14, 18 and 14; and random maps and lists, right at the promised cost.
TEST(BalancedMaps, few_ports_are_negotiated_and_use_several_dimensions_in_a_step) {
  struct Case {
    const char* map;
    const char* machine;
    std::uint64_t elements;
    Count most;
  };
  constexpr Case cases[] = {{"matrix(0x1, 0x2, 0x4) ^ 0x2", "cube:3,one-port", 5, 11},
                            {"matrix(0xf, 0xc, 0x1, 0xa) ^ 0x4", "cube:4,one-port", 5, 13},
                            {"matrix(0x6, 0x7, 0x2) ^ 0x1", "cube:3,one-port", 16, 29},
                            {"i:3 -> rot(i, 1)", "cube:3,2-ports", 32, 30},
                            {"i:3 -> gray(i)", "cube:3,2-ports", 12, 10},
                            {"i:4 -> gray(i)", "cube:4,3-ports", 16, 12},
                            {"matrix(0x9, 0xc, 0xa, 0xd)", "cube:4,2-ports", 12, 12}};
  const auto mixed = [](const CubeStep& step) {
    std::set<int> dimensions;
    for (const Rule& rule : step.rules)
      if (rule.across != inside) dimensions.insert(rule.across);
    return dimensions.size() > 1;
  };
  bool several = false;
  for (const Case& c : cases) {
    const Request request = Request::of(c.map, c.machine, c.elements);
    const Count steps = testing::built_and_verified(balanced_maps, request, true).steps;
    EXPECT_LE(steps, c.most) << c.map;
    EXPECT_GE(steps, bound_of(request).value) << c.map;
    if (std::get<Hypercube>(request.machine()).ports != Hypercube::Ports::one) continue;
    RecordingSink schedule;
    balanced_maps.offer(request).push(schedule);
    several = several || std::any_of(schedule.cube_steps.begin(), schedule.cube_steps.end(), mixed);
  }
  EXPECT_TRUE(several);
  Random random(5);
  for (int round = 0; round < (testing::full_run() ? 8 : testing::sanitized() ? 1 : 3); ++round) {
    const int n = 3 + round % 2;
    const auto more = random.below(static_cast<std::uint64_t>(n) - 2);
    const auto ports = static_cast<Hypercube::Ports>(2 + static_cast<int>(more));
    const std::uint64_t k = 1 + random.below(12);
    testing::Draft map{.machine = Hypercube{.dimensions = n, .ports = ports}};
    map.elements = k;
    map.map = MapGoal{.map = testing::random_affine(n, random)};
    const Cost cost = testing::built_and_verified(balanced_maps, map, true);
    EXPECT_GE(cost.steps, lower_bound(map.machine, map.map, k).value);
    testing::built_and_verified(balanced_lists, list_request(n + 1, k, ports, random), true);
  }
}

// Random maps and lists with one port: right, at the promised cost, never below the bound, and
// together a tenth below what shortest paths take.
TEST(ListRouting, one_port_is_negotiated_below_shortest_paths) {
  Random random(12);
  Count simple = 0;
  Count negotiated = 0;
  for (int n = 3; n <= (testing::sanitized() ? 4 : 5); ++n)
    for (const std::uint64_t k : {1U, 4U, 7U}) {
      const testing::Draft request = list_request(n, k, Hypercube::Ports::one, random);
      simple += testing::built_and_verified(shortest_path_lists, request, true).steps;
      negotiated += testing::built_and_verified(balanced_lists, request, true).steps;
    }
  EXPECT_LE(10 * negotiated, 9 * simple);
  testing::Judged judged(12);
  for (int n = 2; n <= 4; ++n)
    for (const std::uint64_t k : {1U, 2U, 6U, 9U}) {
      testing::Draft request{.machine = Hypercube{.dimensions = n, .ports = Hypercube::Ports::one}};
      request.elements = k;
      request.map = MapGoal{.map = testing::random_affine(n, random)};
      const Cost cost = testing::built_and_verified(balanced_maps, request, true);
      EXPECT_GE(cost.steps, lower_bound(request.machine, request.map, k).value);
      ++judged;
    }
}

}  // namespace
}  // namespace faro
