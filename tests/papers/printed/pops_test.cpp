// The paper's algorithms for POPS networks take the slots that it prints, where those hold.
#include "papers/printed/pops.hpp"

#include <gtest/gtest.h>

#include "draft.hpp"
#include "faro/service/plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "judged.hpp"
#include "machines/pops/bounds.hpp"
#include "papers/printed/printed.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/packets.hpp"
#include "planners/pops/patterns.hpp"
#include "planners/pops/testing.hpp"

namespace faro {
namespace {

using testing::expect_slots;
using testing::golden_pops;
using testing::pops_request;
using testing::random_permutation;
using testing::replayed_slots;
using testing::reversal;
using testing::shift_in_groups;

testing::Draft named_map(const char* map, int width, int local_bits, std::uint64_t elements = 1) {
  return pops_request(say(map, {.processors = bit(width)}).map.as_bits(), local_bits, elements);
}

TEST(PopsPrinted, one_group_and_figure_6_meet_the_golden_counts) {
  for (const auto& row : golden_pops()["single_intragroup_cycle"])
    expect_slots(pops_one_group, pops_request(row[0], row[1], shift_in_groups(row[0], row[1], 1)),
                 row[4]);
  // d g paper_count printed_valid figure6_repaired theorem3_bound slots
  for (const auto& row : golden_pops()["reversal"]) {
    const std::uint64_t d = row[0];
    const std::uint64_t g = row[1];
    if (d > g) expect_slots(pops_figure6, pops_request(d, g, reversal(d * g)), row[4]);
    if (!row[5].is_null()) {
      EXPECT_EQ(pops::reversal_theorem3({d, g, false}), row[5].get<std::uint64_t>());
    }
  }
}

// Sections 3.1 and 3.2: 2 ceil(d/g) slots where all data move, less up to two in which nothing is
// sent, because a relay is an end of the way; never fewer than ours.
TEST(PopsPrinted, the_simple_algorithm_takes_pairs_of_slots) {
  for (std::uint64_t d = 2; d <= 12; ++d)
    for (std::uint64_t g = 1; g <= 9; ++g) {
      const testing::Draft request = pops_request(d, g, shift_in_groups(d, g, g));
      const Count slots = replayed_slots(pops_simple, request);
      EXPECT_LE(slots, 2 * ceil_div(d, g)) << d << " " << g;
      EXPECT_GE(slots + 2, 2 * ceil_div(d, g)) << d << " " << g;
      EXPECT_GE(slots, pops_fewest_slots.offer(request).estimate.cost.value) << d << " " << g;
    }
}

TEST(PopsPrinted, random_permutations_inside_one_group) {
  Random random(31);
  testing::Judged judged(200);
  for (int round = 0; round < (testing::full_run() ? 1000 : 100); ++round) {
    const std::uint64_t d = 1 + random.below(30);
    const std::uint64_t g = 1 + random.below(9);
    const std::uint64_t only = random.below(g);
    std::vector<Word> to;
    for (std::uint64_t i = 0; i < g; ++i) {
      const std::vector<Word> one = random_permutation(d, random);
      for (Word l = 0; l < d; ++l) to.push_back(i * d + (only == i ? one[l] : l));
    }
    const testing::Draft request = pops_request(d, g, to);
    for (const Planner* planner : {&pops_one_group, &pops_simple}) {
      ASSERT_FALSE(planner->refusal(request));
      ++judged;
      const Count slots = replayed_slots(*planner, request);
      ASSERT_GE(slots, lower_bound(Pops{d, g, false}, to, 1).value) << planner->name();
    }
  }
}

template <class Visit>
void for_all_bit_permutations(int width, Visit visit) {
  std::vector<int> place(static_cast<std::size_t>(width));
  for (int i = 0; i < width; ++i) place[static_cast<std::size_t>(i)] = i;
  do {
    for (Word c = 0; c < bit(width); ++c) visit(BitMap::from_places(place, c));
  } while (std::next_permutation(place.begin(), place.end()));
}

TEST(PopsPrinted, stay_go_takes_every_bit_permutation_of_up_to_five_bits_on_every_split) {
  const int most = testing::sanitized() ? 4 : 5;
  for (int width = 1; width <= most; ++width)
    for_all_bit_permutations(width, [&](const BitMap& map) {
      for (int ld = 0; ld <= width; ++ld) replayed_slots(pops_stay_go, pops_request(map, ld));
    });
}

// Sahni 2000, section 4.3: [2, -0, 1] on POPS(4, 2).
TEST(PopsPrinted, stay_go_takes_the_four_slots_that_the_paper_counts) {
  const std::vector<int> place = {1, 0, 2};
  const testing::Draft request = pops_request(BitMap::from_places(place, 1), 2);
  EXPECT_EQ(pops_stay_go.offer(request).estimate.cost.value, 4U);
}

// What the paper counts for a request is never fewer than the plan that is chosen takes, but for
// Theorem 4 with one group, which divides by g - 1.
TEST(PopsPrinted, a_plan_takes_no_more_than_the_paper_counts) {
  testing::Judged judged(90);
  for (const char* map : {"transpose", "perfect-shuffle", "unshuffle", "bit-shuffle"})
    for (const int width : {2, 4, 6, 8})
      for (int ld = 0; ld < width; ++ld)
        for (const std::uint64_t elements : {1U, 3U}) {
          const Request request = named_map(map, width, ld, elements);
          const MachinePlan made = plan(request);
          ASSERT_TRUE(made.paper().has_value()) << map << " " << width << " " << ld;
          EXPECT_LE(made.value(), made.paper()->formula.value) << map << " " << width << " " << ld;
          ++judged;
        }
  const MachinePlan inside = plan(Request(pops_request(5, 3, shift_in_groups(5, 3, 3))));
  EXPECT_EQ(inside.paper()->citation, "Sahni 2000, Theorem 2");
  EXPECT_EQ(inside.paper()->formula.value, 4U);
}

// Sections 4.1 and 4.2 as printed, d = g: relay group (i + j) mod g, or the sum of the bits that
// stay before those that go; the printed formulas are those of the inverse permutations, and both
// directions work.
std::vector<pops::Packet> printed_shuffle(const BitMap& map, int half) {
  const Word g = bit(half);
  std::vector<pops::Packet> packets;
  for (Word p = 0; p < g * g; ++p) {
    if (map(p) == p) continue;
    Word i = 0;  // stay(i) go(i), stay(j) go(j)
    Word j = 0;
    for (const bool stays : {true, false})
      for (int b = half - 1; b >= 0; --b) {
        if ((highest_bit(map.column(b + half)) >= half) == stays)
          i = 2 * i + (has_bit(p, b + half) ? 1 : 0);
        if ((highest_bit(map.column(b)) < half) == stays) j = 2 * j + (has_bit(p, b) ? 1 : 0);
      }
    pops::Packet packet;
    packet.from = p;
    packet.to = map(p);
    packet.relay = (i + j) % g * g + p % g;
    packet.second = 1;
    packets.push_back(packet);
  }
  return packets;
}

TEST(PopsPrinted, the_printed_sum_modulo_g_works_in_both_directions) {
  for (const char* map : {"perfect-shuffle", "unshuffle", "bit-shuffle", "shuffled-row-major"})
    for (int half = 2; half <= 5; ++half) {
      const testing::Draft request = named_map(map, 2 * half, half);
      const auto replay = make_replay();
      pops::emit_permutation(request, "printed", printed_shuffle(request.map.map, half), *replay);
      EXPECT_TRUE(replay->verdict().ok()) << map << " " << half;
      EXPECT_EQ(replay->verdict().cost.slots, 2U);
    }
}

}  // namespace
}  // namespace faro
