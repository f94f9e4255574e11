// Broadcasts and patterns inside groups of a POPS network: golden counts.
#include "planners/pops/patterns.hpp"

#include <gtest/gtest.h>

#include "draft.hpp"
#include "judged.hpp"
#include "machines/pops/bounds.hpp"
#include "planners/pops/broadcast.hpp"
#include "planners/pops/fewest.hpp"
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

TEST(PopsPatterns, meet_the_golden_counts_inside_groups) {
  // d g paper_count figure5_trimmed_slots slots
  for (const auto& row : golden_pops()["all_groups_cycle"]) {
    const testing::Draft request =
        pops_request(row[0], row[1], shift_in_groups(row[0], row[1], row[1]));
    expect_slots(pops_fewest_slots, request, row[4]);
    if (row[0].get<Word>() >= row[1].get<Word>()) expect_slots(pops_figure5, request, row[3]);
  }
}

// d g .. slots
TEST(PopsPatterns, meet_the_golden_counts_of_reversals) {
  for (const auto& row : golden_pops()["reversal"]) {
    const std::uint64_t d = row[0];
    const std::uint64_t g = row[1];
    const testing::Draft request = pops_request(d, g, reversal(d * g));
    expect_slots(pops_fewest_slots, request, row[6]);
    EXPECT_LE(lower_bound(Pops{d, g, false}, request.destinations, 1).value,
              row[6].get<std::uint64_t>());
  }
}

TEST(PopsPatterns, random_permutations_inside_groups) {
  Random random(31);
  testing::Judged judged(100);
  for (int round = 0; round < (testing::full_run() ? 2000 : 200); ++round) {
    const std::uint64_t d = 1 + random.below(30);
    const std::uint64_t g = 1 + random.below(9);
    std::vector<Word> to;
    const std::uint64_t only = random.below(2 * g);  // a single group in half of the rounds
    for (std::uint64_t i = 0; i < g; ++i) {
      std::vector<Word> one = random_permutation(d, random);
      for (Word l = 0; l < d; ++l) to.push_back(i * d + (only < g && only != i ? l : one[l]));
    }
    const testing::Draft request = pops_request(d, g, to);
    const Count fewest = replayed_slots(pops_fewest_slots, request);
    ASSERT_FALSE(::testing::Test::HasFailure()) << d << " " << g;
    ASSERT_GE(fewest, lower_bound(Pops{d, g, false}, to, 1).value);
    // What the search must find: loads shared evenly.
    const Count moved = pops::most_moved({d, g, false}, to);
    const Count evenly = d <= g ? 2 : std::max<Count>(2, ceil_div(2 * moved, Count{g} + 1));
    ASSERT_LE(fewest, moved == 0 ? 0 : evenly) << d << " " << g;
    if (pops_figure5.refusal(request)) continue;
    ++judged;
    ASSERT_GE(replayed_slots(pops_figure5, request), fewest) << d << " " << g;
  }
}

// d g one_to_all all_to_all all_to_all_multi_receive all_to_all_personalized
TEST(PopsBroadcast, meets_the_golden_counts) {
  for (const auto& row : golden_pops()["broadcast"]) {
    const std::vector<std::pair<PopsBroadcast, bool>> kinds = {
        {PopsBroadcast::one_to_all, false},
        {PopsBroadcast::all_to_all, false},
        {PopsBroadcast::all_to_all, true},
        {PopsBroadcast::personalised, false}};
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      const Pops machine{row[0], row[1], kinds[k].second};
      const auto replay = make_replay();
      push_broadcast(machine, kinds[k].first, machine.group_size - 1, *replay);
      const Verdict verdict = replay->verdict();
      ASSERT_TRUE(verdict.ok()) << row << verdict.violations[0].message;
      EXPECT_EQ(verdict.cost.slots, row[2 + k].get<std::uint64_t>()) << row << k;
      EXPECT_EQ(verdict.cost.slots, broadcast_slots(machine, kinds[k].first).value) << row << k;
      EXPECT_EQ(verdict.cost.slots, broadcast_bound(machine, kinds[k].first).value);
    }
  }
}

TEST(PopsBroadcast, all_to_all_up_to_seven_by_seven) {
  for (std::uint64_t d = 1; d <= 7; ++d)
    for (std::uint64_t g = 1; g <= 7; ++g) {
      const auto replay = make_replay();
      push_broadcast({d, g, false}, PopsBroadcast::all_to_all, 0, *replay);
      ASSERT_TRUE(replay->verdict().ok()) << d << " " << g;
      ASSERT_EQ(replay->verdict().cost.slots,
                broadcast_slots({d, g, false}, PopsBroadcast::all_to_all).value);
    }
}

}  // namespace
}  // namespace faro
