// A map and its mirrors: one representative, one count.
#include "planners/cube/affine/mirrored.hpp"

#include <gtest/gtest.h>

#include "full.hpp"
#include "judged.hpp"
#include "maps.hpp"
#include "planners/cube/affine/affine_jobs.hpp"
#include "planners/cube/affine/mirror.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::random_affine;

mirrors::Renaming random_names(int n, Random& random) {
  return {testing::random_places(n, random), random.next() & low_mask(n)};
}

// A member of the map's orbit: other names, another translation, memory rearranged as its processor
// likes, perhaps backwards.
BitMap random_mirror(const BitMap& map, int m, Random& random) {
  const int n = map.width() - m;
  const auto rearranged = [&] {
    BitMap free = random_affine(m, random);
    std::vector<Word> columns;
    for (int i = 0; i < m; ++i) columns.push_back(free.column(i));
    for (int i = 0; i < n; ++i) columns.push_back(bit(m + i) | (random.next() & low_mask(m)));
    return BitMap::from_columns(columns, free.complement());
  };
  BitMap mirror = mirrors::renamed(map, m, random_names(n, random));
  if (m > 0) mirror = then(then(rearranged(), mirror), rearranged());
  return random.below(2) == 0 ? mirror : mirror.inverse();
}

BitMap standing_for(const BitMap& map, int m) {
  const Request request = Request::of(Hypercube{.dimensions = map.width() - m},
                                      MapGoal{.map = map, .cut = m > 0, .memory_bits = m});
  return mirrors::Mirror::representative(request).question().map().map;
}

TEST(AffineMirrored, mirrors_of_a_map_have_one_representative_and_one_count) {
  Random random(41);
  testing::Judged judged(60);
  for (int round = 0; round < 80; ++round) {
    const int n = 2 + static_cast<int>(random.below(4));
    const int m = static_cast<int>(random.below(4));
    const BitMap map = random_affine(n + m, random);
    const BitMap mirror = random_mirror(map, m, random);
    ASSERT_EQ(standing_for(map, m), standing_for(mirror, m)) << n << " " << m << " round " << round;
    testing::Draft request{.machine = Hypercube{.dimensions = n},
                           .map = {.map = map, .cut = m > 0, .memory_bits = m},
                           .destinations = {},
                           .elements = m > 0 ? bit(m) : 1 + random.below(9)};
    if (affine_mirrored.refusal(request)) continue;
    const Count steps = built_and_verified(affine_mirrored, request, n + m <= 6).steps;
    request.map.map = mirror;
    ASSERT_EQ(built_and_verified(affine_mirrored, request, n + m <= 6).steps, steps);
    ++judged;
  }
}

TEST(AffineMirrored, more_orders_than_it_tries_are_refused) {
  const testing::Draft request = testing::cube_request_of(8, testing::gray_to_binary({8}), 3);
  EXPECT_TRUE(affine_mirrored.refusal(request).has_value());
}

// 36 steps by jobs as it is; its inverse takes 33, the bound.
constexpr const char* dearer_as_it_is =
    "p:10 | m:6 -> matrix(0xc999, 0xa9a0, 0xe83, 0xdb8d, 0xcb94, 0xcd99, 0x214, 0x2ea3, 0x783, "
    "0x6dca, 0xc9ad, 0x4985, 0x6bc9, 0xc98d, 0xcb88, 0xcf89)(p m)";

TEST(AffineFewMirrors, the_inverse_may_be_cheaper) {
  const testing::Draft request =
      testing::cut_request(Request::of(dearer_as_it_is, "cube:10").map().map, 6);
  EXPECT_EQ(built_and_verified(affine_few_mirrors, request, false).steps, Count{33});
  EXPECT_EQ(affine_ring.offer(request).estimate.cost.value, Count{36});
  testing::one_search_serves_all(affine_few_mirrors, request);
}

// With what the planners of jobs say of the request itself, a map and its inverse have one count.
Count by_jobs(const testing::Draft& request, int& asked) {
  std::optional<Count> least;
  for (const PlannerEntry* planner : {&affine_ring, &affine_shop, &affine_few_mirrors}) {
    if (planner->refusal(request)) continue;
    ++asked;
    const Count count = built_and_verified(*planner, request, false).steps;
    if (!least || count < *least) least = count;
  }
  return least.value_or(0);
}

TEST(AffineFewMirrors, a_map_and_its_inverse_have_one_count) {
  Random random(43);
  int asked = 0;
  for (int round = 0; round < (testing::full_run() ? 60 : testing::sanitized() ? 2 : 6); ++round) {
    const int n = 8 + static_cast<int>(random.below(5));
    const int m = static_cast<int>(random.below(6));
    testing::Draft request{
        .machine = Hypercube{.dimensions = n},
        .map = {.map = random_affine(n + m, random), .cut = m > 0, .memory_bits = m},
        .destinations = {},
        .elements = m > 0 ? bit(m) : 2 + random.below(20)};
    const Count steps = by_jobs(request, asked);
    request.map.map = request.map.map.inverse();
    EXPECT_EQ(by_jobs(request, asked), steps) << "n=" << n << " m=" << m << " round " << round;
  }
  EXPECT_GE(asked, 4);
}

TEST(AffineFewMirrors, small_cubes_and_many_elements_are_refused) {
  const auto refused = [](int n, std::uint64_t elements) {
    return affine_few_mirrors
        .refusal(testing::cube_request_of(n, testing::gray_to_binary({n}), elements))
        .has_value();
  };
  EXPECT_TRUE(refused(7, 8));
  EXPECT_FALSE(refused(8, 8));
  EXPECT_FALSE(refused(60, 136));
  EXPECT_TRUE(refused(60, 137));
  EXPECT_TRUE(refused(60, 1));
}

}  // namespace
}  // namespace faro
