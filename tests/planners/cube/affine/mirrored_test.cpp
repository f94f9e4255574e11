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

TEST(AffineMirrored, mirrors_of_a_map_have_one_representative_and_one_count) {
  Random random(41);
  testing::Judged judged(60);
  for (int round = 0; round < 80; ++round) {
    const int n = 2 + static_cast<int>(random.below(4));
    const int m = static_cast<int>(random.below(4));
    const BitMap map = random_affine(n + m, random);
    const BitMap mirror = random_mirror(map, m, random);
    ASSERT_EQ(mirrors::representative(map, m).map, mirrors::representative(mirror, m).map)
        << n << " " << m << " round " << round;
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

}  // namespace
}  // namespace faro
