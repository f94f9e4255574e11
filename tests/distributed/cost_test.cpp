// Costs against enumeration: who sends what to whom, counted by applying the map and nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "faro/distributed/exchange_plan.hpp"
#include "faro/words/say.hpp"
#include "full.hpp"
#include "maps.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

// Elements from rank to rank.
using Counts = std::map<std::pair<Word, Word>, std::uint64_t>;

Counts counted(const BitMap& map, int rank_bits) {
  const int m = map.width() - rank_bits;
  Counts counts;
  for (Word i = 0; i < bit(map.width()); ++i) ++counts[{i >> m, map(i) >> m}];
  return counts;
}

// Elements that leave their group of ranks, where what belongs to rank q is held by host[q].
std::uint64_t leaving(const Counts& counts, const std::vector<Word>& host, int node_bits) {
  std::uint64_t leave = 0;
  for (const auto& [pair, elements] : counts) {
    if (pair.first >> node_bits != host[pair.second] >> node_bits) leave += elements;
  }
  return leave;
}

std::vector<Word> identity_of(int rank_bits) {
  std::vector<Word> all(bit(rank_bits));
  std::iota(all.begin(), all.end(), Word{0});
  return all;
}

void expect_true_cost(const BitMap& map, int rank_bits, bool every_permutation) {
  const std::uint64_t ranks = bit(rank_bits);
  const Counts counts = counted(map, rank_bits);
  const ExchangePlan plan = ExchangePlan::make(map, rank_bits, 1);
  const ExchangeCost& cost = plan.cost();
  std::vector<std::uint64_t> partners(ranks), sent(ranks);
  std::uint64_t keepers = 0;
  for (const auto& [pair, elements] : counts) {
    ASSERT_EQ(Count{elements}, cost.pair_bytes);
    if (pair.first == pair.second) {
      ++keepers;
    } else {
      ++partners[pair.first];
      sent[pair.first] += elements;
    }
  }
  EXPECT_EQ(counts.size(), ranks << cost.rho);
  EXPECT_EQ(cost.keepers, keepers);
  EXPECT_EQ(cost.partners, *std::max_element(partners.begin(), partners.end()));
  EXPECT_EQ(cost.most_sent_bytes, Count{*std::max_element(sent.begin(), sent.end())});

  const ExchangePlan free = ExchangePlan::make(map, rank_bits, 1, {.ranks = Ranks::relabelled});
  std::vector<Word> host(ranks);
  for (Word r = 0; r < ranks; ++r) host[free.relabelling()(r)] = r;
  for (int node_bits = 0; node_bits <= rank_bits; ++node_bits) {
    const ExchangeTraffic nodes =
        exchange_cost(map, rank_bits, 1, Ranks::relabelled, node_bits).nodes;
    EXPECT_EQ(nodes.least_bytes, Count{leaving(counts, identity_of(rank_bits), node_bits)});
    EXPECT_EQ(nodes.moved_bytes, Count{leaving(counts, host, node_bits)});
    EXPECT_EQ(nodes.moved_bytes, nodes.least_bytes_relabelled);
    for (const Ranks how : {Ranks::fixed, Ranks::relabelled}) {
      const BitMap lies = how == Ranks::fixed ? BitMap::identity(rank_bits) : free.relabelling();
      EXPECT_EQ(exchange_cost(map, rank_bits, 1, how, node_bits),
                counted_cost(map, lies, rank_bits, 1, node_bits))
          << to_notation(map);
    }
    if (!every_permutation) continue;
    std::vector<Word> other = identity_of(rank_bits);
    std::uint64_t least = UINT64_MAX;
    do {
      least = std::min(least, leaving(counts, other, node_bits));
    } while (std::next_permutation(other.begin(), other.end()));
    EXPECT_EQ(nodes.least_bytes_relabelled, Count{least}) << to_notation(map);
  }
}

TEST(ExchangeCost, every_linear_map_of_3_bits_against_all_relabellings) {
  int judged = 0;
  testing::for_every_matrix(3, [&](const BitMatrix& matrix) {
    for (int p = 0; p <= 3; ++p) {
      expect_true_cost(BitMap::from_matrix(matrix, static_cast<Word>(judged) & 7U), p, p < 3);
      ++judged;
    }
  });
  EXPECT_EQ(judged, 4 * 168);
}

TEST(ExchangeCost, random_maps_against_all_relabellings) {
  Random random(11);
  for (int k = 0; k < (testing::full_run() ? 200 : 40); ++k) {
    const int p = 1 + static_cast<int>(random.below(3));
    const int width = p + static_cast<int>(random.below(4));
    expect_true_cost(testing::random_affine(width, random), p, k % 4 == 0 || p < 3);
    expect_true_cost(
        BitMap::from_places(testing::random_places(width, random), random.next() & low_mask(width)),
        p, p < 3);
  }
}

TEST(ExchangeCost, random_maps_on_64_ranks) {
  Random random(12);
  for (int k = 0; k < 20; ++k) {
    expect_true_cost(testing::random_affine(12, random), 6, false);
    expect_true_cost(BitMap::from_places(testing::random_places(12, random)), 6, false);
  }
}

// Above 2^20 elements cosets are counted; low bits that a map leaves alone only multiply.
TEST(ExchangeCost, counted_by_cosets_as_one_by_one) {
  Random random(13);
  for (int k = 0; k < 60; ++k) {
    const int p = static_cast<int>(random.below(7));
    const BitMap map = testing::random_affine(p + static_cast<int>(random.below(6)), random);
    const BitMap lies = k % 3 == 0 ? BitMap::identity(p) : testing::random_affine(p, random);
    const int node_bits = static_cast<int>(random.below(static_cast<std::uint64_t>(p) + 1));
    constexpr int more = counted_bits_max + 1;
    EXPECT_EQ(counted_cost(map, lies, p, bit(more), node_bits),
              counted_cost(beside(map, BitMap::identity(more)), lies, p, 1, node_bits))
        << to_notation(map);
  }
}

TEST(ExchangeCost, large_maps_as_counted) {
  Random random(14);
  int differ = 0;
  for (int k = 0; k < 300; ++k) {
    const int width = counted_bits_max + 1 + static_cast<int>(random.below(44));
    const int p = static_cast<int>(random.below(static_cast<std::uint64_t>(width) + 1));
    const BitMap map = k % 2 == 0 ? testing::random_affine(width, random)
                                  : BitMap::from_places(testing::random_places(width, random),
                                                        random.next() & low_mask(width));
    const int node_bits = static_cast<int>(random.below(static_cast<std::uint64_t>(p) + 1));
    EXPECT_EQ(exchange_cost(map, p, 8, Ranks::fixed, node_bits),
              counted_cost(map, BitMap::identity(p), p, 8, node_bits))
        << to_notation(map) << " on 2^" << p;
    if (width - p > 48) continue;
    const ExchangePlan free =
        ExchangePlan::make(map, p, 8, {.ranks = Ranks::relabelled, .node_bits = node_bits});
    EXPECT_EQ(free.cost(), counted_cost(map, free.relabelling(), p, 8, node_bits))
        << to_notation(map) << " on 2^" << p;
    // Some other permutation of the ranks is seen to be another.
    if (p == 0) continue;
    const BitMap other = then(free.relabelling(), testing::random_affine(p, random));
    differ += free.cost() == counted_cost(map, other, p, 8, node_bits) ? 0 : 1;
  }
  EXPECT_GT(differ, 100);
}

struct Golden {
  const char* map;
  int rho;
  double moved, moved_relabelled;
  std::uint64_t keepers, rounds;
};

// 16 ranks with 2^20 elements each; fractions of the data.
TEST(ExchangeCost, golden_values) {
  const Golden table[] = {
      {"r:4 t:4 m:16 -> t r m", 4, 0.9375, 0.9375, 16, 15},
      {"r:4 m:16 t:4 -> t m r", 4, 0.9375, 0.9375, 16, 15},
      {"a:1 m:22 b:1 -> b m a", 1, 0.5, 0.5, 16, 1},
      {"a:1 b:1 m:22 -> b a m", 0, 0.5, 0.0, 8, 1},
      {"r:4 m:20 -> rot(r,1) m", 0, 0.875, 0.0, 2, 1},
      {"i:24 -> rev(i)", 4, 0.9375, 0.9375, 16, 15},
      {"r:12 c:12 -> c r", 4, 0.9375, 0.9375, 16, 15},
      {"i:24 -> rot(i,4)", 4, 0.9375, 0.9375, 16, 15},
      {"i:24 -> gray(i)", 0, 0.875, 0.0, 2, 1},
      {"i:24 -> ungray(i)", 0, 0.875, 0.0, 2, 1},
      {"i:24 -> ~i", 0, 1.0, 0.0, 0, 1},
  };
  const auto fraction = [](Count bytes) { return static_cast<double>(bytes) / double(bit(24)); };
  for (const Golden& g : table) {
    const ExchangeCost cost = exchange_cost(say(g.map).map.as_bits(), 4, 1);
    EXPECT_EQ(cost.rho, g.rho) << g.map;
    EXPECT_EQ(fraction(cost.ranks.moved_bytes), g.moved) << g.map;
    EXPECT_EQ(fraction(cost.ranks.least_bytes_relabelled), g.moved_relabelled) << g.map;
    EXPECT_EQ(cost.keepers, g.keepers) << g.map;
    EXPECT_EQ(cost.rounds, g.rounds) << g.map;
  }
}

TEST(ExchangeCost, two_to_the_60_ranks) {
  const BitMap reversal = say("i:64 -> rev(i)").map.as_bits();
  const ExchangeCost cost = exchange_cost(reversal, 60, 16);
  EXPECT_EQ(cost.rho, 4);
  EXPECT_EQ(cost.ranks.least_bytes_relabelled, (Count{1} << 64U) * 16 / 16 * 15);
  // Palindromes stay: bit i = bit 63 - i for the rank's 60 bits are 32 conditions.
  EXPECT_EQ(cost.ranks.moved_bytes, ((Count{1} << 64U) - (Count{1} << 32U)) * 16);
}

TEST(ExchangeCost, planning_two_to_the_30_ranks_asks_for_little_memory) {
  Random random(5);
  for (const BitMap& map :
       {say("i:64 -> rev(i)").map.as_bits(), say("r:30 m:34 -> m r").map.as_bits(),
        say("i:64 -> gray(i)").map.as_bits(), testing::random_affine(64, random)}) {
    for (const Ranks ranks : {Ranks::fixed, Ranks::relabelled}) {
      for (const bool in_place : {false, true}) {
        const testing::MemoryAsked asked = testing::memory_asked([&] {
          const ExchangePlan plan =
              ExchangePlan::make(map, 30, 8, {.ranks = ranks, .in_place = in_place});
          EXPECT_LE(plan.buffer_bytes(), plan.options().buffer_bytes);
        });
        EXPECT_LT(asked.times, 3000U) << to_notation(map);
        EXPECT_LT(asked.bytes, 360U << 10U) << to_notation(map);
      }
    }
  }
}

TEST(ExchangeCost, refuses_what_does_not_fit) {
  const BitMap map = BitMap::identity(6);
  EXPECT_THROW(exchange_cost(map, 7, 8), Error);
  EXPECT_THROW(exchange_cost(map, -1, 8), Error);
  EXPECT_THROW(exchange_cost(map, 2, 0), Error);
  EXPECT_THROW(exchange_cost(map, 2, 8, Ranks::fixed, 3), Error);
  EXPECT_THROW(ExchangePlan::make(say("i:6 -> rev(i)").map.as_bits(), 2, 8, {.buffer_bytes = 31}),
               Error);
  EXPECT_THROW(ExchangePlan::make(BitMap::identity(60), 4, 8), Error);
  EXPECT_THROW(ExchangePlan::make(BitMap::identity(48), 1, std::uint64_t{1} << 40U), Error);
}

}  // namespace
}  // namespace faro
