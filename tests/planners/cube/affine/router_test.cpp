// Cosets of elements routed together: how near random, sparse and waiting maps come to the aim.
#include "planners/cube/affine/router.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "draft.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "maps.hpp"
#include "planners/cube/affine/affine_jobs.hpp"
#include "planners/cube/affine/flock_states.hpp"
#include "planners/cube/affine/flocks.hpp"
#include "planners/cube/affine/job_line.hpp"
#include "planners/planning.hpp"
#include "waiting_maps.hpp"

namespace faro {
namespace {

using testing::aim_of;
using testing::built_and_verified;
using testing::random_affine;
using testing::waiting;
using testing::Waiting;

// Every element is in the flock of its coset and rearranged slot: it crosses what the flock crosses
// and, rearranged again, ends in the slot that the flock has then.
void expect_flocks(const testing::Draft& request) {
  const Flocks flocks(request);
  const int m = request.map.cut ? request.map.memory_bits : 0;
  RecordingSink before;
  RecordingSink after;
  before.begin({});
  after.begin({});
  flocks.push_before(before);
  flocks.push_after(after);
  const auto moved = [](const RecordingSink& sink, Word p, Slot slot) {
    for (const CubeStep& step : sink.cube_steps)
      for (const Rule& rule : step.rules) {
        const bool here = std::all_of(rule.where.begin(), rule.where.end(),
                                      [p](const Parity& c) { return c.holds(p); });
        if (!here || rule.from != slot) continue;
        slot = rule.to;
        break;
      }
    return slot;
  };
  for (Word p = 0; p < bit(flocks.dimensions()); ++p) {
    Word coset = 0;
    int found = 0;
    for (Word c = 0; c < flocks.cosets(); ++c) {
      const std::vector<Parity> where = flocks.where(flocks.cosets() - 1, c);
      if (!std::all_of(where.begin(), where.end(), [p](const Parity& f) { return f.holds(p); }))
        continue;
      coset = c;
      ++found;
    }
    ASSERT_EQ(found, 1);
    for (Slot s = 0; s < request.elements; ++s) {
      const Slot slot = moved(before, p, s);
      const Word to = request.map.map(m == 0 ? p : p << m | s);
      ASSERT_EQ(flocks.away(coset, slot), (to >> m) ^ p);
      if (m > 0) {
        ASSERT_EQ(moved(after, to >> m, flocks.home(coset, slot)), to & low_mask(m));
      }
      Word there = coset;
      for (Word rest = flocks.away(coset, slot); rest != 0; rest &= rest - 1)
        there ^= flocks.across(lowest_bit(rest));
      for (const Parity& f : flocks.where(flocks.cosets() - 1, there))
        ASSERT_TRUE(f.holds(to >> m));
    }
  }
}

TEST(Flocks, the_elements_of_a_coset_go_the_same_way) {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const int n = 1 + static_cast<int>(random.below(4));
    const int m = static_cast<int>(random.below(4));
    const BitMap map = random_affine(n + m, random);
    if (m == 0)
      expect_flocks(testing::cube_request_of(n, map, 1 + random.below(3)));
    else if (!split_map(testing::cut_request(map, m)))
      expect_flocks(testing::cut_request(map, m));
  }
}

TEST(AffineRouter, nineteen_of_twenty_random_maps_fed_from_memory_take_the_aim) {
  Random random(2);
  int judged = 0;
  int above = 0;
  for (int round = 0; round < (testing::full_run()    ? 600
                               : testing::sanitized() ? 40
                                                      : 150);
       ++round) {
    const int n = 2 + static_cast<int>(random.below(7));
    const int m = 1 + static_cast<int>(random.below(5));
    const testing::Draft request = testing::cut_request(random_affine(n + m, random), m);
    if (affine_router.refusal(request)) continue;
    const Count steps = built_and_verified(affine_router, request, n + m <= 10).steps;
    EXPECT_LE(steps, aim_of(request) + 1) << n << " " << m << " round " << round;
    if (steps > aim_of(request)) ++above;
    ++judged;
  }
  EXPECT_GT(judged, testing::sanitized() ? 20 : 90);
  EXPECT_LE(above * 20, judged);
}

// A few row operations, or none: with the jobs, which know chains and what waits for nobody.
TEST(AffineRouter, sparse_maps_take_two_steps_above_the_aim_at_most) {
  Random random(5);
  testing::Judged judged(testing::sanitized() ? 10 : 40);
  for (int round = 0; round < (testing::full_run()    ? 400
                               : testing::sanitized() ? 30
                                                      : 100);
       ++round) {
    const int n = 3 + static_cast<int>(random.below(6));
    const int m = 1 + static_cast<int>(random.below(6));
    BitMap map =
        BitMap::from_places(testing::random_places(n + m, random), random.below(bit(n + m)));
    for (std::uint64_t k = random.below(2) * static_cast<std::uint64_t>(n); k > 0; --k) {
      std::vector<Word> columns;
      for (int b = 0; b < n + m; ++b) columns.push_back(bit(b));
      columns[random.below(columns.size())] |= bit(static_cast<int>(random.below(columns.size())));
      map = then(map, BitMap::from_columns(columns));
    }
    const testing::Draft request = testing::cut_request(map, m);
    if (affine_ring.refusal(request)) continue;
    Count best = Count::largest();
    for (const PlannerEntry* planner : {&affine_ring, &affine_router, &affine_shop}) {
      if (planner->refusal(request)) continue;
      if (planner == &affine_shop && best <= aim_of(request) + 2) continue;
      best = std::min<Count>(best, built_and_verified(*planner, request, n + m <= 9).steps);
    }
    EXPECT_LE(best, aim_of(request) + 2) << n << " " << m << " round " << round;
    ++judged;
  }
}

TEST(AffineRouter, bits_that_wait_for_each_other_take_two_steps_above_the_aim) {
  const int largest = testing::full_run() ? 6 : testing::sanitized() ? 3 : 4;
  for (const Waiting kind : {Waiting::star, Waiting::prefix, Waiting::tree})
    for (int n = 3; n <= 8; ++n)
      for (int m = 2; m <= largest; ++m) {
        const testing::Draft request = waiting(kind, n, m);
        const Count steps = built_and_verified(affine_router, request, n + m <= 10).steps;
        EXPECT_LE(steps, aim_of(request) + 2) << static_cast<int>(kind) << " " << n << " " << m;
      }
}

// Two cosets whatever the size is, and all dimensions but one of a kind. Of many elements a part is
// planned, then twice as many, and so on.
TEST(AffineRouter, stars_of_any_size_take_two_steps_above_the_aim) {
  EXPECT_EQ(Flocks(waiting(Waiting::star, 60, 2)).cosets(), 2U);
  EXPECT_EQ(Flocks(waiting(Waiting::star, 60, 2)).kinds().size(), 2U);
  const std::vector<int> memories = testing::full_run() ? std::vector<int>{1, 2, 3, 4, 5, 6, 8, 10}
                                    : testing::sanitized() ? std::vector<int>{1, 3}
                                                           : std::vector<int>{1, 2, 4, 6, 8};
  for (const int n : {3, 9, 16, 20, 30})
    for (const int m : memories) {
      const testing::Draft request = waiting(Waiting::star, n, m);
      const Count steps = built_and_verified(affine_router, request, n + m <= 10).steps;
      EXPECT_LE(steps, aim_of(request) + (m < 10 ? 2 : 20)) << n << " " << m;
    }
}

// Groups of dimensions that get the same sum.
TEST(AffineRouter, dimensions_of_one_kind_are_told_apart_in_the_end) {
  Random random(6);
  testing::Judged judged(testing::sanitized() ? 10 : 40);
  for (int round = 0; round < (testing::sanitized() ? 30 : 120); ++round) {
    const int n = 3 + static_cast<int>(random.below(5));
    const int m = 1 + static_cast<int>(random.below(4));
    const int sources = 1 + static_cast<int>(random.below(3));
    std::vector<Word> rows;
    for (int i = 0; i < m + n; ++i) rows.push_back(bit(i));
    std::swap(rows[0], rows[static_cast<std::size_t>(m)]);
    std::vector<Word> sums;
    for (int k = 0; k < sources; ++k)
      sums.push_back(1 + random.below(bit(m + std::min(sources, n - 1)) - 1));
    for (int j = sources; j < n; ++j)
      rows[static_cast<std::size_t>(m + j)] ^= sums[random.below(sums.size())];
    const BitMatrix matrix = BitMatrix::from_rows(n + m, rows);
    if (matrix.rank() < n + m) continue;
    const testing::Draft request =
        testing::cut_request(BitMap::from_matrix(matrix, random.next() & low_mask(n + m)), m);
    if (affine_router.refusal(request)) continue;
    built_and_verified(affine_router, request, true);
    const Flocks flocks(request);
    if (std::any_of(flocks.kinds().begin(), flocks.kinds().end(),
                    [](Word kind) { return std::popcount(kind) > 1; }))
      ++judged;
  }
}

// As many states as there are numbers of each kind, and of many dimensions not all.
TEST(FlockStates, count_what_of_each_kind_has_been_crossed) {
  for (const std::vector<int>& kinds :
       {std::vector<int>{}, {1}, {3}, {1, 1}, {2, 1}, {1, 1, 1, 1, 1}, {4, 3, 2}, {59, 1}}) {
    const FlockStates states(kinds);
    std::size_t wanted = 1;
    std::size_t crossings = 0;
    for (const int many : kinds) wanted *= static_cast<std::size_t>(many) + 1;
    for (const int many : kinds)
      crossings += wanted / (static_cast<std::size_t>(many) + 1) * static_cast<std::size_t>(many);
    EXPECT_EQ(states.size(), wanted);
    EXPECT_EQ(states.crossings(), crossings);
  }
  for (const int many : {12, 13, 20, 40, 63}) {
    const FlockStates states(std::vector<int>(static_cast<std::size_t>(many), 1));
    EXPECT_LE(states.size(), 4096U);
    EXPECT_EQ(states.crossed(states.size() - 1), static_cast<std::size_t>(many));
    for (std::size_t state = 1; state < states.size(); ++state) {
      EXPECT_FALSE(states.into(state).empty());
      for (const FlockStates::Crossing& by : states.into(state)) {
        EXPECT_LT(by.from, state);
        EXPECT_EQ(states.crossed(by.from) + 1, states.crossed(state));
      }
    }
  }
}

TEST(AffineRouter, what_was_offered_is_pushed) {
  Random random(3);
  testing::one_search_serves_all(affine_router, waiting(Waiting::tree, 6, 3));
  testing::one_search_serves_all(
      affine_router,
      testing::cube_request_of(4, BitMap::from_places(testing::random_places(4, random), 5), 7));
}

TEST(AffineRouter, what_has_no_short_search_is_refused) {
  Random random(4);
  const auto refused = [](const Request& request) {
    return affine_router.refusal(request).has_value();
  };
  EXPECT_TRUE(refused(testing::cube_request_of(3, testing::gray_to_binary({3}), 4)));
  EXPECT_TRUE(refused(testing::cube_request_of(3, BitMap::identity(3), 4)));
  const BitMap reversed = BitMap::from_places(std::vector<int>{2, 1, 0});
  EXPECT_FALSE(refused(testing::cube_request_of(3, reversed, 8)));
  EXPECT_TRUE(refused(testing::cube_request_of(3, reversed, 1)));
  EXPECT_TRUE(refused(testing::cube_request_of(3, reversed, 9)));
  EXPECT_TRUE(refused(testing::cube_request_of(3, reversed, 8, Hypercube::Ports::one)));
  EXPECT_TRUE(refused(testing::cut_request(random_affine(30, random), 6)));
}

}  // namespace
}  // namespace faro
