// Bit operations one after another: what they cost is what was promised.
#include "planners/cube/affine/bits_in_turn.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "draft.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "maps.hpp"
#include "planners/cube/affine/row_operations.hpp"
#include "planners/cube/shuffle/exchange_lanes.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::cube_request_of;
using testing::full_run;
using testing::random_affine;
using testing::rotation;

void expect_product(const BitMap& map, const std::vector<RowOperation>& operations) {
  for (int b = 0; b <= map.width(); ++b) {
    Word p = b < map.width() ? bit(b) : 0;
    const Word wanted = map.matrix().apply(p);
    for (const RowOperation& o : operations) p = o(p);
    EXPECT_EQ(p, wanted);
  }
}

TEST(OperationsInTurn, a_rotation_takes_one_more_than_its_bits) {
  for (int n = 2; n <= 20; ++n) {
    const auto operations = operations_in_turn(rotation(n, 1).matrix(), 0, n);
    EXPECT_EQ(operations.size(), static_cast<std::size_t>(n + 1));
    expect_product(rotation(n, 1), operations);
  }
}

TEST(OperationsInTurn, every_matrix_of_three_bits_and_random_ones) {
  testing::for_every_matrix(3, [](const BitMatrix& matrix) {
    const auto operations = operations_in_turn(matrix, 0, 3);
    EXPECT_LE(operations.size(), 5U);
    expect_product(BitMap::from_matrix(matrix), operations);
  });
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + static_cast<int>(random.below(60));
    const BitMap map = random_affine(n, random);
    const auto operations = operations_in_turn(map.matrix(), static_cast<int>(random.below(60)), 2);
    EXPECT_LT(operations.size(), static_cast<std::size_t>(2 * n));
    expect_product(map, operations);
  }
}

bool applies(const Planner& planner, const testing::Draft& request) {
  return !planner.refusal(request).has_value();
}

TEST(BitsInTurn, costs_what_is_promised_for_small_maps) {
  Random random(2);
  testing::Judged judged(150);
  for (int n = 1; n <= (full_run() ? 10 : 6); ++n)
    for (const std::uint64_t k : {1U, 2U, 3U, 8U, 17U, 40U})
      for (const auto ports : {Hypercube::Ports::all, Hypercube::Ports::one}) {
        const Planner& planner =
            ports == Hypercube::Ports::all ? bits_in_turn : bits_in_turn_one_port;
        for (const BitMap& map :
             {random_affine(n, random), rotation(n, 1), random_affine(n, random)}) {
          const testing::Draft request = cube_request_of(n, map, k, ports);
          if (!applies(planner, request)) continue;
          ++judged;
          const Cost cost = built_and_verified(planner, request, true);
          EXPECT_TRUE(cost.steps >=
                      lower_bound(std::get<Hypercube>(request.machine), request.map, k).value);
        }
      }
}

TEST(BitsInTurn, groups_of_elements_follow_each_other) {
  Random random(3);
  for (const std::uint64_t k : {2047U, 2048U, 2049U, 5000U})
    built_and_verified(bits_in_turn, cube_request_of(5, random_affine(5, random), k), false);
}

TEST(BitsInTurn, what_the_estimate_found_is_built) {
  Random random(6);
  const BitMap map = random_affine(5, random);
  for (const std::uint64_t k : {3U, 2048U, 4099U}) {
    testing::one_search_serves_all(bits_in_turn, cube_request_of(5, map, k));
    testing::one_search_serves_all(bits_in_turn_one_port,
                                   cube_request_of(5, map, k, Hypercube::Ports::one));
  }
}

TEST(BitsInTurn, takes_fewer_steps_than_one_row_operation_after_the_other) {
  Random random(4);
  for (const int n : {10, 30, 60})
    for (const std::uint64_t k : {1U, 30U, 100U}) {
      const BitMap map = random_affine(n, random);
      const testing::Draft all = cube_request_of(n, map, k);
      const testing::Draft one = cube_request_of(n, map, k, Hypercube::Ports::one);
      const Count operations = row_operations(map).size();
      EXPECT_LT(bits_in_turn.offer(all).estimate.cost.value, operations + 2 * (k - 1));
      EXPECT_LT(bits_in_turn_one_port.offer(one).estimate.cost.value, operations * k);
    }
}

TEST(BitsInTurn, sixty_dimensions_are_proved) {
  Random random(5);
  const BitMap map = random_affine(60, random);
  const Cost cost = built_and_verified(bits_in_turn, cube_request_of(60, map, 100), false);
  EXPECT_TRUE(cost.steps <= 170);
  built_and_verified(bits_in_turn_one_port, cube_request_of(60, map, 10, Hypercube::Ports::one),
                     false);
}

TEST(BitsInTurn, every_map_of_one_processor_bit_and_two_memory_bits_and_of_two_and_one) {
  testing::for_every_matrix(3, [](const BitMatrix& matrix) {
    for (int m = 1; m <= 3; ++m)
      for (const Word complement : {0U, 3U}) {
        const testing::Draft request =
            testing::cut_request(BitMap::from_matrix(matrix, complement), m);
        if (applies(bits_in_turn, request)) built_and_verified(bits_in_turn, request, true);
      }
  });
}

TEST(BitsInTurn, random_maps_of_processor_and_memory_bits) {
  Random random(4);
  testing::Judged judged(30);
  for (int round = 0; round < (full_run() ? 300 : 40); ++round) {
    const int width = 2 + static_cast<int>(random.below(8));
    const int m =
        1 + static_cast<int>(random.below(static_cast<std::uint64_t>(std::min(width, 6))));
    const testing::Draft request = testing::cut_request(random_affine(width, random), m);
    if (!applies(bits_in_turn, request)) continue;
    ++judged;
    built_and_verified(bits_in_turn, request, true);
    testing::one_search_serves_all(bits_in_turn, request);
  }
  built_and_verified(bits_in_turn, testing::cut_request(random_affine(54, random), 4), false);
}

TEST(BitsInTurn, sums_of_bits_with_memory_take_little_more_than_their_own) {
  // p0 and p3 are added to by others; the rest stays.
  const testing::Draft request = testing::cut_request(
      Request::of("p:24 | m:2 -> p[23:4] (p[3] ^ m[0]) p[2:1] (p[0] ^ p[20]) | m", "cube:24")
          .map()
          .map,
      2);
  EXPECT_LE(built_and_verified(bits_in_turn, request, false).steps, 4U);
}

TEST(BitsInTurn, leaves_code_conversions_to_their_own) {
  EXPECT_TRUE(
      bits_in_turn.refusal(cube_request_of(4, testing::gray_to_binary({4}), 3)).has_value());
}

}  // namespace
}  // namespace faro
