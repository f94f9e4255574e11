// The closed planners: every schedule replayed and proved, its steps equal to the formula.
#include <algorithm>

#include "base/random.hpp"
#include "draft.hpp"
#include "judged.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/shuffle/planners.hpp"
#include "planners/cube/shuffle/requests.hpp"
#include "planners/cube/shuffle/structure.hpp"
#include "planners/planning.hpp"

namespace faro {
namespace {

using testing::built_and_verified;

using testing::shuffle_request;
using testing::structured_request;
using testing::sum_of;

TEST(Shuffle, single_chains_meet_the_closed_form) {
  Random random(1);
  for (int m = 1; m <= 7; ++m)
    for (int k = 1; k <= 6; ++k) {
      const testing::Draft request = structured_request(k, {m}, {}, random.next());
      const Cost cost = built_and_verified(shuffle_ring, request, m + k <= 9);
      const Count jobs = bit(k) / 2;
      const Count ring = std::max<Count>(static_cast<Count>(m), jobs) + 1;
      if (m >= 2 && k >= 2) {
        EXPECT_EQ(to_string(cost.steps), to_string(ring)) << m << " " << k;
      }
    }
}

TEST(Shuffle, several_chains_with_complements_and_pairs) {
  Random random(2);
  const std::vector<std::vector<int>> chains = {
      {1, 1}, {2, 1}, {3, 1}, {2, 2}, {4, 1}, {5, 4}, {6, 6}, {5, 5}, {4, 4, 4}, {7, 3, 2}, {9, 1}};
  for (const auto& c : chains)
    for (int pairs = 0; pairs <= 2; ++pairs)
      for (int k = static_cast<int>(c.size()); k <= 6; ++k) {
        testing::Draft request =
            structured_request(k, c, std::vector<int>(static_cast<std::size_t>(pairs), 2),
                               random.next() & low_mask(k + sum_of(c)));
        built_and_verified(shuffle_ring, request, sum_of(c) + 2 * pairs + k <= 10);
      }
}

TEST(Shuffle, lone_cycles) {
  testing::Judged judged(200);
  for (int m = 1; m <= 7; ++m)
    for (int k = 0; k <= 5; ++k)
      for (Word complement = 0; complement < bit(std::min(m, 3)); ++complement) {
        const testing::Draft request = structured_request(k, {}, {m}, complement << k);
        if (shuffle_sequence.refusal(request)) continue;
        ++judged;
        built_and_verified(shuffle_sequence, request, m + k <= 8);
      }
}

// The best flow takes 7K/12 steps; pairs of elements take 5K/8, fewer below 64 elements.
TEST(Shuffle, an_even_cycle_of_four_is_two_steps_above_the_best_flow) {
  for (int k = 6; k <= 9; ++k) {
    const testing::Draft request = structured_request(k, {}, {4}, Word{5} << k);
    const Count steps = built_and_verified(shuffle_sequence, request, k <= 6).steps;
    EXPECT_EQ(to_string(steps), to_string(ceil_div(7 * bit(k), 12) + 2));
  }
}

TEST(Shuffle, any_permutation_in_sequence_and_with_one_port) {
  Random random(3);
  testing::Judged judged(500);
  for (int round = 0; round < 300; ++round) {
    const int n = 1 + static_cast<int>(random.below(6));
    const int k = static_cast<int>(random.below(5));
    const std::vector<int> source = testing::random_places(n + k, random);
    const Word complement = random.below(bit(n + k));
    for (const Planner* p : {&shuffle_sequence, &shuffle_one_port}) {
      const testing::Draft request =
          shuffle_request(n, k, source, complement,
                          p == &shuffle_sequence ? Hypercube::Ports::all : Hypercube::Ports::one);
      if (p->refusal(request)) continue;
      ++judged;
      built_and_verified(*p, request, n + k <= 8);
    }
  }
}

TEST(Shuffle, one_element_travels_exactly_the_largest_distance) {
  testing::Judged judged(100);
  for (int a = 1; a <= 6; ++a)
    for (int b = 1; b <= 5; ++b)
      for (Word complement = 0; complement < 4; ++complement) {
        const testing::Draft request =
            structured_request(0, {}, {a, b}, (complement & 1U) | (complement >> 1U << a));
        if (shuffle_sequence.refusal(request)) continue;
        ++judged;
        const Cost cost = built_and_verified(shuffle_sequence, request, true);
        EXPECT_EQ(static_cast<int>(cost.steps), shuffle::structure_of(request).distance());
      }
}

TEST(Shuffle, the_even_cycle_of_three_with_one_port) {
  const std::vector<int> expected = {29, 56, 112, 221};
  for (int k = 4; k <= 7; ++k)
    for (const Word complement : {Word{0}, Word{0b101}, Word{0b110}}) {
      const testing::Draft request =
          structured_request(k, {}, {3}, complement << k, Hypercube::Ports::one);
      const Cost cost = built_and_verified(shuffle_one_port, request, k <= 6);
      EXPECT_EQ(static_cast<int>(cost.steps), expected[static_cast<std::size_t>(k - 4)]);
    }
}

TEST(Shuffle, forty_dimensions_are_planned_and_proved) {
  const std::vector<std::vector<int>> chains = {{40}, {15, 10, 9, 6}};
  for (const auto& c : chains)
    built_and_verified(shuffle_ring, structured_request(6, c, {}, 5), false);
  built_and_verified(shuffle_sequence, structured_request(6, {}, {40}, 0), false);
  built_and_verified(shuffle_sequence, structured_request(0, {}, {40}, 1), false);
}

}  // namespace
}  // namespace faro
