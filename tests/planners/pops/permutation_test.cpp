// Permutations on POPS networks by colouring: golden counts of all kinds.
#include "planners/pops/permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "draft.hpp"
#include "judged.hpp"
#include "machines/pops/bounds.hpp"
#include "memory_asked.hpp"
#include "planners/planning.hpp"
#include "planners/pops/fewest.hpp"
#include "planners/pops/testing.hpp"
#include "search/colouring.hpp"

namespace faro {
namespace {

using testing::golden_pops;
using testing::pops_request;
using testing::random_permutation;
using testing::replayed_slots;

TEST(PopsColouring, uses_as_many_colours_as_the_largest_degree) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    const auto nodes = static_cast<std::uint32_t>(1 + random.below(12));
    std::vector<search::Edge> edges(random.below(80));
    for (search::Edge& e : edges)
      e = {static_cast<std::uint32_t>(random.below(nodes)),
           static_cast<std::uint32_t>(random.below(nodes))};
    const std::uint32_t degree = search::largest_degree(edges, nodes);
    const auto colours = search::edge_colours(edges, nodes, degree);
    for (std::size_t a = 0; a < edges.size(); ++a) {
      ASSERT_LT(colours[a], degree);
      for (std::size_t b = 0; b < a; ++b) {
        if (colours[a] != colours[b]) continue;
        ASSERT_NE(edges[a].left, edges[b].left);
        ASSERT_NE(edges[a].right, edges[b].right);
      }
    }
  }
}

// Rows of the golden file: ... single hop, any permutation, best, bound, proven optimal.
void check_golden(const testing::Draft& request, const nlohmann::json& row, std::size_t column) {
  EXPECT_EQ(replayed_slots(pops_single_hop, request), row[column].get<std::uint64_t>()) << row;
  EXPECT_EQ(replayed_slots(pops_two_hop, request), row[column + 1].get<std::uint64_t>()) << row;
  EXPECT_LE(replayed_slots(pops_fewest_slots, request), row[column + 2].get<std::uint64_t>())
      << row;
  const Pops& machine = std::get<Pops>(request.machine);
  const Bound bound = request.destinations.empty() ? lower_bound(machine, request.map, 1)
                                                   : lower_bound(machine, request.destinations, 1);
  EXPECT_EQ(bound.value, row[column + 3].get<std::uint64_t>()) << row;
}

TEST(PopsPermutation, meets_the_golden_counts_of_arbitrary_permutations) {
  for (const auto& row : golden_pops()["arbitrary"]) {
    const testing::Draft request = pops_request(row[0], row[1], row[2].get<std::vector<Word>>());
    check_golden(request, row, 3);
  }
}

TEST(PopsPermutation, meets_the_golden_counts_of_affine_maps) {
  for (const auto& row : golden_pops()["affine"]) {
    const auto columns = row[0].get<std::vector<Word>>();
    const testing::Draft request = pops_request(BitMap::from_columns(columns, row[1].get<Word>()),
                                                log2_exact(row[2].get<Word>()));
    check_golden(request, row, 6);
  }
}

BitMap map_of_vector(const nlohmann::json& vector) {
  const std::size_t p = vector.size();
  std::vector<int> place(p);
  Word complement = 0;
  for (std::size_t i = 0; i < p; ++i) {
    const std::string entry = vector[i];
    const int to = std::abs(std::stoi(entry));
    place[p - 1 - i] = to;
    if (entry[0] == '-') complement |= bit(to);
  }
  return BitMap::from_places(place, complement);
}

TEST(PopsPermutation, meets_the_golden_counts_of_bit_permutations) {
  for (const auto& row : golden_pops()["bpc_random"]) {
    const testing::Draft request =
        pops_request(map_of_vector(row[0]), log2_exact(row[1].get<Word>()));
    check_golden(request, row, 4);
  }
}

TEST(PopsPermutation, meets_the_golden_counts_of_transposes) {
  for (const auto& row : golden_pops()["transpose"]) {
    const Word order = row[0];
    std::vector<Word> to(order * order);
    for (Word p = 0; p < to.size(); ++p) to[p] = (p % order) * order + p / order;
    check_golden(pops_request(row[1], row[2], to), row, 5);
  }
}

TEST(PopsBounds, certificates_of_the_golden_file_are_no_better_than_ours_by_more_than_they_say) {
  for (const auto& row : golden_pops()["metric_certificates"]) {
    const auto table = row["D"].get<std::vector<std::vector<std::int64_t>>>();
    PopsDemand demand(table.size());
    for (std::size_t i = 0; i < table.size(); ++i)
      for (std::size_t j = 0; j < table.size(); ++j) demand(i, j) = table[i][j];
    EXPECT_EQ(pops_bound(demand).value, row["closed_bound"].get<std::uint64_t>());
  }
}

// How often each (bound, fewest) occurs over all permutations.
using Census = std::map<std::pair<int, int>, int>;

Census census(std::uint64_t d, std::uint64_t g, std::uint64_t stride) {
  std::vector<Word> to(d * g);
  for (Word p = 0; p < to.size(); ++p) to[p] = p;
  Census counts;
  std::uint64_t number = 0;
  testing::Judged judged(static_cast<int>(d * g / stride));
  do {
    if (number++ % stride != 0) continue;
    const testing::Draft request = pops_request(d, g, to);
    const Count slots = replayed_slots(pops_fewest_slots, request);
    if (::testing::Test::HasFailure()) return counts;
    for (const Planner* planner : {&pops_single_hop, &pops_two_hop}) {
      ++judged;
      EXPECT_GE(replayed_slots(*planner, request), slots);
    }
    const Bound bound = lower_bound(Pops{d, g, false}, to, 1);
    ++counts[{static_cast<int>(bound.value), static_cast<int>(slots)}];
  } while (std::next_permutation(to.begin(), to.end()));
  return counts;
}

TEST(PopsPermutation, every_permutation_of_small_networks_is_at_its_optimum) {
  EXPECT_EQ(census(3, 2, 1), (Census{{{0, 0}, 1}, {{1, 1}, 81}, {{2, 2}, 602}, {{3, 3}, 36}}));
  for (const auto& [slots, count] : census(2, 3, 1)) EXPECT_EQ(slots.first, slots.second) << count;
  if (testing::sanitized()) return;
  EXPECT_EQ(census(4, 2, 1),
            (Census{{{0, 0}, 1}, {{1, 1}, 256}, {{2, 2}, 27984}, {{3, 3}, 11503}, {{4, 4}, 576}}));
  if (testing::full_run()) {
    EXPECT_EQ(census(3, 3, 1), (Census{{{0, 0}, 1}, {{1, 1}, 57105}, {{2, 2}, 305774}}));
  } else {
    for (const auto& [slots, count] : census(3, 3, 19))
      EXPECT_EQ(slots.first, slots.second) << count;
  }
}

TEST(PopsPermutation, random_permutations_of_random_networks) {
  Random random(5);
  const int rounds = testing::full_run() ? 2500 : testing::sanitized() ? 40 : 300;
  int gaps = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t d = 1 + random.below(20);
    const std::uint64_t g = 1 + random.below(12);
    const testing::Draft request = pops_request(d, g, random_permutation(d * g, random));
    Count least = Count::largest();
    for (const Planner* planner : {&pops_single_hop, &pops_two_hop})
      least = std::min(least, replayed_slots(*planner, request));
    const Count fewest = replayed_slots(pops_fewest_slots, request);
    ASSERT_FALSE(::testing::Test::HasFailure()) << d << " " << g << " round " << round;
    const Bound bound = lower_bound(Pops{d, g, false}, request.destinations, 1);
    ASSERT_LE(bound.value, fewest);
    ASSERT_LE(fewest, least);
    gaps += fewest > bound.value;
  }
  // About one in a hundred bounds is one too small.
  EXPECT_LE(gaps, 2 + rounds / 25);
}

std::vector<Word> cyclic_shift(std::uint64_t n, std::uint64_t by) {
  std::vector<Word> to(n);
  for (Word p = 0; p < n; ++p) to[p] = (p + by) % n;
  return to;
}

TEST(PopsFewestSlots, closes_cyclic_shifts) {
  EXPECT_EQ(replayed_slots(pops_fewest_slots, pops_request(9, 4, cyclic_shift(36, 5))), 4U);
  EXPECT_EQ(replayed_slots(pops_fewest_slots, pops_request(16, 7, cyclic_shift(112, 70))), 4U);
  if (!testing::full_run()) return;
  EXPECT_EQ(replayed_slots(pops_fewest_slots, pops_request(1024, 16, cyclic_shift(16384, 511))),
            117U);
}

// What is asked of memory is linear in the processors: so many requests and bytes for each.
struct AskedEach {
  double times = 0;
  double bytes = 0;
};
AskedEach asked_each(std::uint64_t processors, const std::function<void()>& work) {
  const testing::MemoryAsked asked = testing::memory_asked(work);
  return {static_cast<double>(asked.times) / static_cast<double>(processors),
          static_cast<double>(asked.bytes) / static_cast<double>(processors)};
}

TEST(PopsPermutation, a_million_processors_take_memory_that_is_linear_in_them) {
  if (testing::sanitized()) GTEST_SKIP() << "too long where all is checked";
  Random random(9);
  const std::vector<Word> to = random_permutation(bit(20), random);
  const auto counted = [&](const Planner& planner, std::uint64_t d, std::uint64_t g) {
    const testing::Draft request = pops_request(d, g, to);
    const auto replay = make_replay();
    const AskedEach asked = asked_each(to.size(), [&] { planner.offer(request).push(*replay); });
    EXPECT_TRUE(replay->verdict().ok());
    EXPECT_LT(asked.times, 4) << planner.name() << " " << d;
    EXPECT_LT(asked.bytes, 1300) << planner.name() << " " << d;
    return replay->verdict().cost.slots;
  };
  EXPECT_EQ(counted(pops_two_hop, 1024, 1024), 2U);
  EXPECT_EQ(counted(pops_fewest_slots, 4096, 256), 18U);
}

// Maps whose demand is regular: bound 24 and 29, two hops take 32.
TEST(PopsFewestSlots, regular_demands_of_a_million_processors_are_searched_within_bounds) {
  if (testing::sanitized()) GTEST_SKIP() << "too long where all is checked";
  const std::vector<std::pair<int, Count>> rotations = {{13, 24}, {5, 30}};
  for (const auto& rotation : rotations) {
    const int by = rotation.first;
    const Count slots = rotation.second;
    if (by != 13 && !testing::full_run()) continue;
    std::vector<int> place(20);
    for (int b = 0; b < 20; ++b) place[static_cast<std::size_t>(b)] = (b + by) % 20;
    testing::Draft request = pops_request(BitMap::from_places(place, 0), 12);
    const AskedEach asked =
        asked_each(bit(20), [&] { EXPECT_LE(replayed_slots(pops_fewest_slots, request), slots); });
    EXPECT_LT(asked.times, 4) << by;
    EXPECT_LT(asked.bytes, 1300) << by;
  }
}

TEST(PopsFewestSlots, what_the_estimate_found_is_built) {
  Random random(6);
  testing::one_search_serves_all(pops_fewest_slots,
                                 pops_request(18, 16, random_permutation(18 * 16, random)));
}

}  // namespace
}  // namespace faro
