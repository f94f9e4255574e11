#include "faro/planners/list_routing.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "faro/base/random.hpp"
#include "faro/machines/bounds/bounds.hpp"
#include "full.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::full_run;

Request list_request(int dimensions, std::uint64_t elements, Hypercube::Ports ports,
                     Random& random) {
  Request request{.machine = Hypercube{.dimensions = dimensions, .ports = ports}};
  request.elements = elements;
  request.destinations.resize(bit(dimensions));
  std::iota(request.destinations.begin(), request.destinations.end(), Word{0});
  for (std::uint64_t i = request.destinations.size(); i > 1; --i)
    std::swap(request.destinations[i - 1], request.destinations[random.below(i)]);
  return request;
}

TEST(ListRouting, random_permutations_are_delivered_at_the_promised_cost) {
  Random random(7);
  for (int n = 1; n <= (full_run() ? 8 : 6); ++n)
    for (const std::uint64_t k : {1U, 3U, 8U})
      for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one}) {
        const Request request = list_request(n, k, ports, random);
        const Count bound = lower_bound(std::get<Hypercube>(request.machine),
                                        std::span<const std::uint64_t>(request.destinations), k)
                                .value;
        for (const Planner* planner : {&shortest_path_lists, &balanced_lists}) {
          const auto replay = make_replay();
          planner->build(request, *replay);
          const Verdict v = replay->verdict();
          EXPECT_TRUE(v.ok()) << (v.violations.empty() ? "" : v.violations[0].message);
          EXPECT_TRUE(v.cost.steps == planner->estimate(request).cost.value);
          EXPECT_TRUE(v.cost.steps >= bound);
        }
      }
}

TEST(ListRouting, balancing_pays) {
  Random random(8);
  const Request request = list_request(6, 16, Hypercube::Ports::all, random);
  EXPECT_TRUE(balanced_lists.estimate(request).cost.value <
              shortest_path_lists.estimate(request).cost.value);
}

TEST(ListRouting, eleven_dimensions_are_refused) {
  Random random(9);
  EXPECT_TRUE(
      shortest_path_lists.refusal(list_request(11, 1, Hypercube::Ports::all, random)).has_value());
}

}  // namespace
}  // namespace faro
