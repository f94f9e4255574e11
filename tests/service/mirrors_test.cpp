// No request costs more than its mirror: the inverse, and other names of dimensions and processors.
#include <gtest/gtest.h>

#include <algorithm>

#include "draft.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/machines/verifier.hpp"
#include "faro/service/plan.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "planners/cube/affine/mirror.hpp"

namespace faro {
namespace {

Count cost_of(const Hypercube& cube, const BitMap& map, int memory_bits, std::uint64_t elements) {
  const testing::Draft request{
      .machine = cube,
      .map = {.map = map, .cut = memory_bits > 0, .memory_bits = memory_bits},
      .destinations = {},
      .elements = elements};
  PlanOptions options;
  options.verify = VerifyBy::nobody;
  return plan(request, options).value();
}

// Not one in a hundred of the random requests costs more than a mirror of it, and none more than
// one step more.
TEST(Mirrors, cost_the_same_on_cubes) {
  Random random(51);
  const int rounds = testing::full_run() ? 1500 : testing::sanitized() ? 30 : 90;
  int dearer = 0;
  for (int round = 0; round < rounds; ++round) {
    const int n = 2 + static_cast<int>(random.below(6));
    const int m = random.below(2) == 0 ? 0 : 1 + static_cast<int>(random.below(3));
    const bool one_port = random.below(3) == 0;
    const Hypercube cube{.dimensions = n,
                         .ports = one_port ? Hypercube::Ports::one : Hypercube::Ports::all};
    const std::uint64_t elements = m > 0 ? bit(m) : 1 + random.below(40);
    const BitMap map = random.below(3) == 0
                           ? BitMap::from_places(testing::random_places(n + m, random),
                                                 random.next() & low_mask(n + m))
                           : testing::random_affine(n + m, random);
    const Count cost = cost_of(cube, map, m, elements);
    for (int i = 0; i < 2; ++i) {
      BitMap mirror = i == 0 ? map.inverse() : map;
      mirror = mirrors::renamed(mirror, m,
                                {testing::random_places(n, random), random.next() & low_mask(n)});
      const Count other = cost_of(cube, mirror, m, elements);
      dearer += other == cost ? 0 : 1;
      EXPECT_LE(std::max(cost, other) - std::min(cost, other), Count{1})
          << to_notation(map) << " on " << to_string(Machine(cube)) << ", " << elements
          << " elements";
    }
  }
  EXPECT_LE(dearer, rounds * 2 / 100);
}

}  // namespace
}  // namespace faro
