// Conversion by services on a ring: known counts, and never above the formula.
#include "planners/cube/codes/services.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "full.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/codes/services_ring.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::cube_request_of;
using testing::full_run;
using testing::gray_to_binary;

// The formula, written down once more.
std::uint64_t most(std::uint64_t n, std::uint64_t k) {
  return std::max({n - 1, ((3 * k) + 1 + 4) / 5, (k + n - 1) / 2}) + 2;
}

std::uint64_t steps(int n, std::uint64_t k) {
  return three_fifths::ring_program(n, k).steps;
}

TEST(ServicesRing, known_counts) {
  struct Row {
    int n;
    std::uint64_t k;
    std::uint64_t steps;
  };
  // By another program of the same idea, in Python.
  for (const Row row : {Row{10, 100, 62}, Row{20, 40, 30}, Row{20, 100, 62}, Row{40, 160, 100},
                        Row{60, 80, 70}, Row{60, 100, 80}, Row{60, 240, 150}, Row{60, 600, 362}})
    EXPECT_EQ(steps(row.n, row.k), row.steps) << row.n << " " << row.k;
}

// Every length to 60; of the elements those where the formula's terms and the patterns change, some
// of them in turn. All K <= 1000 in the full run, half an hour.
TEST(ServicesRing, never_above_the_formula) {
  for (int n = 4; n <= (testing::sanitized() && !full_run() ? 8 : 60); ++n) {
    const auto length = static_cast<std::uint64_t>(n);
    const std::uint64_t m = length - 3;
    std::vector<std::uint64_t> elements{length, (n % 2 == 0 ? 3 : 5) * m - (length / 2 % 2)};
    if (n <= 20 || n % 10 == 0) elements.insert(elements.end(), {1, m + 1, 5 * length / 3, 5 * m});
    if (n % 20 == 0) elements.push_back(1000);
    if (full_run()) {
      elements.clear();
      for (std::uint64_t k = 1; k <= 1000; ++k) elements.push_back(k);
    }
    for (const std::uint64_t k : elements) {
      EXPECT_LE(steps(n, k), most(length, k)) << n << " " << k;
      EXPECT_GE(steps(n, k), conversion_bound(n, k, Hypercube::Ports::all));
    }
  }
}

TEST(ServicesRing, within_two_steps_of_the_bound_where_there_are_five_elements_a_bit) {
  for (const int n : {4, 7, 12, 33, 60})
    for (std::uint64_t k = 5 * static_cast<std::uint64_t>(n); k <= 400; k += 37)
      EXPECT_LE(steps(n, k), conversion_bound(n, k, Hypercube::Ports::all) + 2) << n << " " << k;
}

TEST(ServicesRing, both_directions_are_verified) {
  for (int n = 4; n <= 8; ++n)
    for (std::uint64_t k = 1; k <= 24; k += full_run() ? 1 : 4)
      for (const BitMap& map : {gray_to_binary({n}), gray_to_binary({n}).inverse()}) {
        SCOPED_TRACE(::testing::Message() << "n=" << n << " K=" << k);
        built_and_verified(services_ring, cube_request_of(n, map, k), true);
      }
}

TEST(ServicesRing, a_field_inside_a_larger_cube) {
  // a:2 b:5 c:1 -> a ungray(b) c
  std::vector<Word> columns;
  for (int i = 0; i < 8; ++i) columns.push_back(i >= 1 && i <= 5 ? bit_range(1, i) : bit(i));
  for (const std::uint64_t k : {3U, 12U, 30U})
    built_and_verified(services_ring, cube_request_of(8, BitMap::from_columns(columns), k), true);
}

TEST(ServicesRing, sixty_dimensions_are_proved) {
  const testing::Draft request = cube_request_of(60, gray_to_binary({60}), 100);
  EXPECT_EQ(built_and_verified(services_ring, request, false).steps, 80U);
  for (const std::uint64_t k : {1U, 59U, 150U}) {
    const testing::Draft back = cube_request_of(60, gray_to_binary({60}).inverse(), k);
    EXPECT_LE(built_and_verified(services_ring, back, false).steps, most(60, k)) << k;
  }
}

// Steps of the table, or nothing.
std::optional<Count> table_steps(int n, std::uint64_t k) {
  const testing::Draft request = cube_request_of(n, gray_to_binary({n}), k);
  if (conversion_table.refusal(request)) return {};
  return conversion_table.offer(request).estimate.cost.value;
}

TEST(ConversionTable, meets_the_bound_where_the_ring_does_not) {
  struct Row {
    int n;
    std::uint64_t k;
    Count steps;
  };
  for (const Row row : {Row{5, 13, 8}, Row{6, 8, 6}, Row{6, 13, 8}, Row{6, 18, 11}, Row{6, 25, 16},
                        Row{7, 25, 16}, Row{7, 33, 20}, Row{8, 25, 16}, Row{8, 33, 20}}) {
    EXPECT_EQ(table_steps(row.n, row.k), row.steps) << row.n << " " << row.k;
    EXPECT_EQ(conversion_bound(row.n, row.k, Hypercube::Ports::all), row.steps);
    EXPECT_GT(steps(row.n, row.k), row.steps);
  }
}

// Five tables a length, one for each remainder, whose laps go on for ever.
TEST(ConversionTable, is_at_the_best_rate_for_any_number_of_elements) {
  for (int n = 3; n <= 10; ++n)
    for (std::uint64_t k = static_cast<std::uint64_t>(5 * n - 2), i = 0; i < 10; ++i) {
      const std::uint64_t elements = i < 5 ? k + i : k + i + 65 * i;
      SCOPED_TRACE(::testing::Message() << "n=" << n << " K=" << elements);
      EXPECT_EQ(table_steps(n, elements), (3 * elements + 1 + 4) / 5);
      if (n > 6 && !full_run() && i % 5 != static_cast<std::uint64_t>(n % 5)) continue;
      const auto& map = i % 2 == 0 ? gray_to_binary({n}) : gray_to_binary({n}).inverse();
      built_and_verified(conversion_table, cube_request_of(n, map, elements), n <= 7);
    }
}

// Every number of elements that a table holds, both ways, by both judges; more elements never take
// fewer steps, and no table is below the bound.
TEST(ConversionTable, serves_every_number_below_its_own) {
  testing::Judged judged(60);
  for (int n = 3; n <= 10; ++n) {
    Count before = 0;
    for (std::uint64_t k = 1; k <= 64; ++k) {
      const auto promised = table_steps(n, k);
      if (!promised) continue;
      SCOPED_TRACE(::testing::Message() << "n=" << n << " K=" << k);
      EXPECT_GE(*promised, conversion_bound(n, k, Hypercube::Ports::all));
      EXPECT_GE(*promised, before);
      before = *promised;
      if (!full_run() && k % 4 != 1) continue;
      for (const BitMap& map : {gray_to_binary({n}), gray_to_binary({n}).inverse()}) {
        const testing::Draft request = cube_request_of(n, map, k);
        EXPECT_EQ(built_and_verified(conversion_table, request, n <= 7 || full_run()).steps,
                  *promised);
        ++judged;
      }
    }
  }
}

TEST(ConversionTable, a_field_inside_a_larger_cube) {
  // a:2 b:6 c:1 -> a ungray(b) c
  std::vector<Word> columns;
  for (int i = 0; i < 9; ++i) columns.push_back(i >= 1 && i <= 6 ? bit_range(1, i) : bit(i));
  for (const std::uint64_t k : {7U, 13U, 26U})
    built_and_verified(conversion_table, cube_request_of(9, BitMap::from_columns(columns), k),
                       true);
}

TEST(ServicesRing, what_was_offered_is_pushed) {
  testing::one_search_serves_all(services_ring, cube_request_of(8, gray_to_binary({8}), 20));
}

}  // namespace
}  // namespace faro
