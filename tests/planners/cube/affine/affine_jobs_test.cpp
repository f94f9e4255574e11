// Affine maps fed from memory, as jobs: all small maps and random ones, proved and counted.
#include "planners/cube/affine/affine_jobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "draft.hpp"
#include "full.hpp"
#include "machines/bounds.hpp"
#include "maps.hpp"
#include "planners/cube/affine/job_line.hpp"
#include "planners/cube/affine/job_shop.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;
using testing::full_run;
using testing::random_affine;

Count bound_of(const testing::Draft& request) {
  return lower_bound(std::get<Hypercube>(request.machine), request.map, request.elements).value;
}

bool all_fed(const jobs::Task& task) {
  return (task.to_do() & ~task.fed()) == 0;
}

// Builds and verifies every planner of the family that applies; the least cost. Every cost is held
// against the bound.
struct Family {
  Count best = Count::largest();
  Count line = 0;  // jobs that follow each other through all dimensions
  bool fed = false;
};
Family family(const testing::Draft& request, bool by_replay) {
  Family found;
  const auto dims = static_cast<Count>(std::popcount(jobs::moved(request).task.to_do()));
  for (const Planner* p : {&affine_full_rank, &affine_ring, &affine_shop}) {
    if (p->refusal(request)) continue;
    const Count steps = built_and_verified(*p, request, by_replay).steps;
    EXPECT_GE(steps, bound_of(request)) << p->name();
    found.best = std::min(found.best, steps);
    if (p != &affine_ring) continue;
    found.fed = true;
    found.line = Count{(request.elements + 1) / 2} + dims - 1;
  }
  return found;
}

TEST(AffineJobs, two_bits_that_move_through_one_memory_bit) {
  // a:2 | m:1 -> m a[1] | a[0]: two dimensions, two elements, two steps.
  const std::vector<int> place{2, 0, 1};
  const Family found = family(testing::cut_request(BitMap::from_places(place), 1), true);
  EXPECT_TRUE(found.fed);
  EXPECT_EQ(found.best, 2U);
}

TEST(AffineJobs, the_order_and_the_type_are_found_for_every_fed_map) {
  // Theorems 1 and 2 are constructions that check themselves; what they must give is counted here:
  // every dimension once, each outside the span of the forms before it.
  Random random(1);
  int fed = 0;
  for (int round = 0; round < (full_run() ? 20000 : 1500); ++round) {
    const int n = 1 + static_cast<int>(random.below(20));
    const int m = 1 + static_cast<int>(random.below(5));
    const jobs::Task task(random_affine(n + m, random), m);
    if (!all_fed(task)) continue;
    ++fed;
    const jobs::JobPlan plan =
        jobs::one_after_another({.task = task, .alike = false, .jobs = bit(m - 1)});
    Word seen = 0;
    for (const jobs::Exchange& e : plan.histories[0].exchanges) seen |= bit(e.dimension);
    EXPECT_EQ(seen, task.to_do());
    EXPECT_EQ(plan.histories[0].exchanges.size(), static_cast<std::size_t>(std::popcount(seen)));
    for (int j = 0; j < n; ++j) {
      const Parity row = plan.histories[0].end.rows[static_cast<std::size_t>(j)];
      EXPECT_EQ(row.mask, bit(j));
      EXPECT_EQ(row.value, 0U);
    }
  }
  EXPECT_GT(fed, 1000);
}

TEST(AffineJobs, every_map_of_three_bits) {
  int moved = 0;
  testing::for_every_matrix(3, [&moved](const BitMatrix& matrix) {
    for (int m = 1; m <= 2; ++m)
      for (const Word complement : {0U, 7U}) {
        const BitMap map = BitMap::from_matrix(matrix, complement);
        const testing::Draft request = testing::cut_request(map, m);
        if (affine_shop.refusal(request)) continue;
        ++moved;
        const Family found = family(request, true);
        if (found.fed) {
          EXPECT_LE(found.best, bound_of(request) + 1);
        }
        built_and_verified(affine_jobs_one_port,
                           testing::cut_request(map, m, Hypercube::Ports::one), true);
      }
  });
  EXPECT_GT(moved, 600);
}

TEST(AffineJobs, random_maps_of_processor_and_memory_bits) {
  Random random(3);
  int fed = 0;
  for (int round = 0; round < (full_run() ? 400 : 60); ++round) {
    const int n = 1 + static_cast<int>(random.below(7));
    const int m = 1 + static_cast<int>(random.below(5));
    const BitMap map = random_affine(n + m, random);
    const testing::Draft request = testing::cut_request(map, m);
    if (affine_shop.refusal(request)) continue;
    const Family found = family(request, true);
    if (!found.fed) continue;
    ++fed;
    EXPECT_LE(found.best, bound_of(request) + 2) << "n " << n << " m " << m << " round " << round;
    EXPECT_LE(found.best, found.line);
  }
  EXPECT_GT(fed, 40);
}

TEST(AffineJobs, one_port_takes_half_of_the_elements_for_each_dimension) {
  Random random(4);
  int fed = 0;
  for (int round = 0; round < 60; ++round) {
    const int n = 1 + static_cast<int>(random.below(6));
    const int m = 1 + static_cast<int>(random.below(4));
    const testing::Draft request =
        testing::cut_request(random_affine(n + m, random), m, Hypercube::Ports::one);
    if (affine_jobs_one_port.refusal(request)) continue;
    const Count steps = built_and_verified(affine_jobs_one_port, request, true).steps;
    const jobs::Task task = jobs::moved(request).task;
    const auto exchanges = static_cast<Count>(std::popcount(task.to_do())) +
                           static_cast<Count>(jobs::sources_of(task).size());
    EXPECT_EQ(steps, exchanges * (request.elements / 2));
    if (!all_fed(task)) continue;
    ++fed;
    EXPECT_EQ(steps, bound_of(request));
  }
  EXPECT_GT(fed, 30);
}

TEST(AffineJobs, maps_of_processor_bits_alone_and_any_number_of_elements) {
  Random random(5);
  int moved = 0;
  for (int round = 0; round < (full_run() ? 200 : 40); ++round) {
    const int n = 2 + static_cast<int>(random.below(5));
    const std::uint64_t elements = 2 + random.below(30);
    const BitMap map = random_affine(n, random);
    const testing::Draft request = testing::cube_request_of(n, map, elements);
    if (affine_shop.refusal(request)) continue;
    ++moved;
    built_and_verified(affine_shop, request, true);
    built_and_verified(affine_jobs_one_port,
                       testing::cube_request_of(n, map, elements, Hypercube::Ports::one), true);
  }
  EXPECT_GT(moved, 35);
}

// Groups that memory does not reach, fed by the same bits that stay: a job that opens such a bit
// must not open what that bit has reached.
TEST(AffineJobs, groups_fed_by_one_bit_that_stays) {
  Random random(29);
  int several = 0;
  for (int round = 0; round < (full_run() ? 20000 : 400); ++round) {
    const int n = 3 + static_cast<int>(random.below(4));
    const BitMap cycles = BitMap::from_places(testing::random_places(n, random));
    std::vector<Word> columns;
    for (int i = 0; i < n; ++i) columns.push_back(cycles.column(i));
    const auto stays = static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(n)));
    for (int i = 0; i < n; ++i)  // the bit that stays goes to its own place, and to others
      if (columns[static_cast<std::size_t>(i)] == bit(static_cast<int>(stays)))
        std::swap(columns[static_cast<std::size_t>(i)], columns[stays]);
    columns[stays] |= random.next() & low_mask(n);
    const testing::Draft request{.machine = Hypercube{.dimensions = n},
                                 .map = {.map = BitMap::from_columns(columns)},
                                 .destinations = {},
                                 .elements = 2 + random.below(70)};
    if (affine_shop.refusal(request)) continue;
    if (jobs::sources_of(jobs::moved(request).task).size() > 1) ++several;
    built_and_verified(affine_shop, request, n < 5);
  }
  EXPECT_GT(several, 50);
}

TEST(AffineJobs, a_lone_complement_is_opened) {
  // i:1 -> ~i: both elements of a job cross, one step each.
  for (const std::uint64_t elements : {2U, 3U, 8U}) {
    const testing::Draft request =
        testing::cube_request_of(1, BitMap::from_matrix(BitMatrix::identity(1), 1), elements);
    EXPECT_EQ(built_and_verified(affine_shop, request, true).steps, (elements + 1) / 2 * 2);
  }
}

// Bit b of the index goes where `place` says, in two parts: chains alone, every one through memory.
TEST(AffineJobs, the_ring_takes_chains_in_one_step_more_than_half_the_elements) {
  int rings = 0;
  for (int n = 2; n <= (full_run() ? 12 : 8); ++n)
    for (int m = 2; m <= 6; ++m)
      for (int chains = 1; chains <= std::min(m, n); ++chains) {
        // Chain c: memory bit c to its first dimension, on through its dimensions, back to memory.
        std::vector<int> place(static_cast<std::size_t>(n + m));
        for (int i = 0; i < n + m; ++i) place[static_cast<std::size_t>(i)] = i;
        for (int c = 0; c < chains; ++c) {
          int at = c;
          for (int d = c; d < n; d += chains) {
            place[static_cast<std::size_t>(at)] = m + d;
            at = m + d;
          }
          place[static_cast<std::size_t>(at)] = c;
        }
        const testing::Draft request =
            testing::cut_request(BitMap::from_places(place, low_mask(n + m) & 0x155U), m);
        const Count most = std::max<Count>(static_cast<Count>(n), bit(m) / 2) + 1;
        EXPECT_LE(built_and_verified(affine_ring, request, n + m <= 10).steps, most)
            << n << " " << m << " " << chains;
        ++rings;
      }
  EXPECT_GT(rings, 60);
}

TEST(AffineJobs, a_block_of_full_rank_takes_the_bound) {
  Random random(6);
  int full = 0;
  for (int round = 0; round < 200 && full < 40; ++round) {
    const int n = 1 + static_cast<int>(random.below(4));
    const int m = n + static_cast<int>(random.below(3));
    const testing::Draft request = testing::cut_request(random_affine(n + m, random), m);
    if (affine_full_rank.refusal(request)) continue;
    ++full;
    const Count steps = built_and_verified(affine_full_rank, request, true).steps;
    EXPECT_EQ(steps, std::max<Count>(static_cast<Count>(n), request.elements / 2));
  }
  EXPECT_EQ(full, 40);
}

TEST(AffineJobs, sixty_dimensions_are_proved) {
  Random random(7);
  // Every processor bit becomes the sum of those below it and a memory bit: the triangular case.
  std::vector<Word> columns;
  for (int i = 0; i < 64; ++i) columns.push_back(i < 3 ? bit(i) : bit_range(i, 63));
  const testing::Draft code = testing::cut_request(BitMap::from_columns(columns), 4);
  EXPECT_LE(built_and_verified(affine_ring, code, false).steps, 61U);
  const testing::Draft any = testing::cut_request(random_affine(64, random), 4);
  EXPECT_LE(built_and_verified(affine_shop, any, false).steps, 62U);
}

// So many row operations a bit, all fed.
BitMap sparse(int width, int memory_bits, std::uint64_t more, Random& random) {
  for (;;) {
    BitMap map = BitMap::identity(width);
    for (std::uint64_t i = 0; i < more * static_cast<std::uint64_t>(width); ++i) {
      const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(width)));
      const int to = static_cast<int>(random.below(static_cast<std::uint64_t>(width)));
      std::vector<Word> columns;
      for (int b = 0; b < width; ++b) columns.push_back(b == from ? bit(from) | bit(to) : bit(b));
      map = then(map, BitMap::from_columns(columns));
    }
    if (all_fed(jobs::Task(map, memory_bits))) return map;
  }
}

// Steps above the most that one dimension, one element or the bound ask for, of the best plan; -1
// where memory does not reach everything or nothing moves.
int above_the_least(const BitMap& map, int memory_bits) {
  const testing::Draft request = testing::cut_request(map, memory_bits);
  const jobs::Moved moved = jobs::moved(request);
  if (!all_fed(moved.task) || moved.task.to_do() == 0) return -1;
  const auto dims = static_cast<Count>(std::popcount(moved.task.to_do()));
  const Count least = std::max({dims, Count{moved.jobs}, bound_of(request)});
  Count best = jobs::ring(moved).steps();
  if (best > least)
    best = std::min<Count>(best, jobs::shop(moved, static_cast<std::uint64_t>(least)).steps());
  EXPECT_LE(best, Count{moved.jobs} + dims - 1 + (moved.jobs == 1 ? 1 : 0)) << "the line's";
  return best > least ? static_cast<int>(static_cast<std::uint64_t>(best - least)) : 0;
}

TEST(AffineJobs, dense_maps_are_two_steps_above_the_least_at_most) {
  Random random(9);
  std::vector<int> count(8);
  for (const int n : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20})
    for (int m = 1; m <= 6; ++m)
      for (int round = 0; round < (full_run() ? 12 : 2); ++round) {
        const int above = above_the_least(random_affine(n + m, random), m);
        if (above < 0) continue;
        EXPECT_LE(above, 2) << n << " " << m << " " << round;
        ++count[static_cast<std::size_t>(std::min(above, 7))];
      }
  EXPECT_GT(count[0], 60);
  EXPECT_LT(count[2] * 6, count[0]);
}

// A bit that few others depend on finds its turn late; docs/planners.md says how often.
TEST(AffineJobs, sparse_maps_are_seldom_further_above) {
  Random random(10);
  int maps = 0;
  int above_two = 0;
  for (const int n : {2, 4, 6, 8, 10, 12})
    for (int m = 1; m <= 6; ++m)
      for (const std::uint64_t more : {1U, 2U})
        for (int round = 0; round < (full_run() ? 6 : 1); ++round) {
          const int above = above_the_least(sparse(n + m, m, more, random), m);
          if (above < 0) continue;
          ++maps;
          above_two += above > 2 ? 1 : 0;
        }
  EXPECT_GT(maps, 60);
  EXPECT_LE(above_two * 12, maps);
  const testing::Draft large = testing::cut_request(sparse(64, 4, 3, random), 4);
  EXPECT_LE(built_and_verified(affine_ring, large, false).steps, 8U + 60U - 1U);
}

TEST(AffineJobs, what_was_offered_is_pushed) {
  Random random(8);
  testing::one_search_serves_all(affine_shop, testing::cut_request(random_affine(8, random), 4));
  testing::one_search_serves_all(affine_ring, testing::cut_request(random_affine(8, random), 4));
}

}  // namespace
}  // namespace faro
