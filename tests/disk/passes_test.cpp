// The planner of passes against brute force over all tiles, against the bound, and performed.
#include "disk/passes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "base/random.hpp"
#include "disk/verify.hpp"
#include "full.hpp"
#include "maps.hpp"

namespace faro::disk {
namespace {

// A subspace of at most 4 bits as the set of its elements.
using Space = std::uint32_t;

Space span_of(const std::vector<Word>& vectors) {
  std::vector<Word> elements{0};
  for (const Word v : vectors) {
    const std::size_t before = elements.size();
    for (std::size_t i = 0; i < before; ++i) elements.push_back(elements[i] ^ v);
  }
  Space set = 0;
  for (const Word x : elements) set |= Space{1} << x;
  return set;
}

int dimension(Space space) {
  return std::popcount(space) == 0 ? -1 : highest_bit(static_cast<Word>(std::popcount(space)));
}

// Every subspace by its dimension, from every choice of vectors.
std::vector<std::vector<Space>> all_subspaces(int width) {
  std::vector<std::vector<Space>> by_dimension(static_cast<std::size_t>(width) + 1);
  for (Word mask = 0; mask < bit(static_cast<int>(low_mask(width))); ++mask) {
    if (std::popcount(mask) > width) continue;
    std::vector<Word> vectors;
    for (int i = 0; i < static_cast<int>(low_mask(width)); ++i)
      if (has_bit(mask, i)) vectors.push_back(static_cast<Word>(i) + 1);
    const Space space = span_of(vectors);
    auto& list = by_dimension[static_cast<std::size_t>(dimension(space))];
    if (std::find(list.begin(), list.end(), space) == list.end()) list.push_back(space);
  }
  return by_dimension;
}

// Least number of passes (at most 4) by trying all tiles: `from` holds S_r, the last holds `to`,
// neighbours share 2^s elements.
int fewest_by_trying(const std::vector<Space>& tiles, Space from, Space to, int shared) {
  std::vector<bool> reached(tiles.size());
  for (std::size_t i = 0; i < tiles.size(); ++i) reached[i] = (tiles[i] & from) == from;
  for (int passes = 1; passes <= 4; ++passes) {
    for (std::size_t i = 0; i < tiles.size(); ++i)
      if (reached[i] && (tiles[i] & to) == to) return passes;
    std::vector<bool> next = reached;
    for (std::size_t i = 0; i < tiles.size(); ++i)
      for (std::size_t j = 0; reached[i] && j < tiles.size(); ++j)
        if (dimension(tiles[i] & tiles[j]) >= shared) next[j] = true;
    reached = next;
  }
  return 99;
}

PassShape equal_shares(int tile, int r, int w, int s, int passes) {
  PassShape shape{.tile = tile, .first_read = r, .last_write = w};
  shape.between.assign(static_cast<std::size_t>(passes - 1), s);
  for (int i = 1; i < passes; ++i)
    shape.whole.push_back(i % 2 == 1 ? PassShape::Whole::write : PassShape::Whole::read);
  return shape;
}

int fewest_by_formula(const AdaptedBasis& basis, int tile, int r, int w, int s) {
  for (int passes = 1; passes <= 4; ++passes)
    if (feasible(basis, equal_shares(tile, r, w, s, passes))) return passes;
  return 99;
}

// Every map of `width` bits, every memory, every pair of runs, every run between.
void judge_all_maps(int width, std::uint64_t every) {
  const auto subspaces = all_subspaces(width);
  std::map<std::vector<Space>, std::vector<int>> tried;  // by flag
  std::uint64_t maps = 0;
  std::uint64_t built = 0;
  testing::for_every_matrix(width, [&](const BitMatrix& matrix) {
    const AdaptedBasis basis = adapted_basis(matrix);
    std::vector<Space> flag;
    std::vector<Word> back;
    for (int w = 0; w <= width; ++w) {
      flag.push_back(span_of(back));
      if (w < width) back.push_back(matrix.inverse()->column(w));
    }
    std::vector<int>& answers = tried[flag];
    const bool first = answers.empty();
    std::size_t question = 0;
    for (int tile = 0; tile <= width; ++tile)
      for (int r = 0; r <= tile; ++r)
        for (int w = 0; w <= tile; ++w)
          for (int s = 0; s <= tile; ++s) {
            if (first)
              answers.push_back(fewest_by_trying(subspaces[static_cast<std::size_t>(tile)],
                                                 span_of([&] {
                                                   std::vector<Word> low;
                                                   for (int i = 0; i < r; ++i)
                                                     low.push_back(bit(i));
                                                   return low;
                                                 }()),
                                                 flag[static_cast<std::size_t>(w)], s));
            const int answer = answers[question++];
            ASSERT_EQ(fewest_by_formula(basis, tile, r, w, s), answer);
            if (answer > 4 || (maps + question) % every != 0) continue;
            const BitMap map = BitMap::from_matrix(matrix, maps & low_mask(width));
            const PassShape shape = equal_shares(tile, r, w, s, answer);
            const std::vector<DiskPass> passes = factor(map, basis, shape);
            ASSERT_EQ(static_cast<int>(passes.size()), answer);
            ASSERT_GE(passes.front().read_log2, r);
            ASSERT_GE(passes.back().write_log2, w);
            ASSERT_EQ(wrong_by_ranks(map, passes, tile), std::nullopt);
            ASSERT_EQ(wrong_by_enumeration(map, passes, tile), std::nullopt);
            ++built;
          }
    ++maps;
  });
  EXPECT_EQ(maps, width == 3 ? 168U : 20160U);
  EXPECT_EQ(tried.size(), width == 3 ? 21U : 315U);  // all flags
  EXPECT_GT(built, 2000U);
}

TEST(DiskPasses, the_formula_is_what_trying_all_tiles_gives_for_every_map_of_3_bits) {
  judge_all_maps(3, 1);
}

TEST(DiskPasses, the_formula_is_what_trying_all_tiles_gives_for_every_map_of_4_bits) {
  judge_all_maps(4, testing::full_run() ? 7 : 397);
}

TEST(DiskPasses, bit_reversal_of_16_elements_takes_two_passes_with_runs_of_4_and_memory_of_8) {
  const std::vector<int> places = {3, 2, 1, 0};
  const BitMap map = BitMap::from_places(places);
  const AdaptedBasis basis = adapted_basis(map.matrix());
  EXPECT_EQ(basis.order, (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(overlap(basis, 2, 2), 0);
  EXPECT_FALSE(feasible(basis, equal_shares(3, 2, 2, 2, 1)));
  EXPECT_TRUE(feasible(basis, equal_shares(3, 2, 2, 2, 2)));
  EXPECT_EQ(fewest_passes(basis, 3, 2), 2);
  EXPECT_EQ(fewest_passes(basis, 4, 2), 1);
  EXPECT_EQ(fewest_passes(basis, 2, 2), -1);
  EXPECT_EQ(passes_bound(map.matrix(), 3, 2), 2);
  EXPECT_EQ(passes_bound(map.matrix(), 2, 2), std::nullopt);
}

TEST(DiskPasses, random_maps_to_60_bits_take_as_many_passes_as_the_bound_says) {
  Random random(17);
  const int count = testing::sanitized() ? 500 : 10000;
  int most = 0;
  for (int n = 0; n < count; ++n) {
    const int width = 3 + static_cast<int>(random.below(58));
    const BitMap map = n % 3 == 0 ? BitMap::from_places(testing::random_places(width, random),
                                                        random.next() & low_mask(width))
                                  : testing::random_affine(width, random);
    const int tile = 1 + static_cast<int>(random.below(static_cast<Word>(width)));
    const int run = static_cast<int>(random.below(static_cast<Word>(tile)));
    const AdaptedBasis basis = adapted_basis(map.matrix());
    const auto bound = passes_bound(map.matrix(), tile, run);
    ASSERT_TRUE(bound.has_value());
    ASSERT_EQ(fewest_passes(basis, tile, run), *bound);
    if (*bound > 1) {
      ASSERT_FALSE(feasible(basis, equal_shares(tile, run, run, run, *bound - 1)));
    }
    const auto passes = factor(map, basis, equal_shares(tile, run, run, run, *bound));
    ASSERT_EQ(wrong_by_ranks(map, passes, tile), std::nullopt);
    for (const DiskPass& pass : passes) {
      ASSERT_GE(pass.read_log2, run);
      ASSERT_GE(pass.write_log2, run);
    }
    most = std::max(most, *bound);
  }
  EXPECT_GT(most, 10);
}

TEST(DiskPasses, random_maps_with_unequal_runs_are_performed_exactly) {
  Random random(5);
  int multiple = 0;
  for (int n = 0; n < 300; ++n) {
    const int width = 3 + static_cast<int>(random.below(8));
    const BitMap map = testing::random_affine(width, random);
    const AdaptedBasis basis = adapted_basis(map.matrix());
    const int tile = 1 + static_cast<int>(random.below(static_cast<Word>(width)));
    const auto below_tile = [&] { return static_cast<int>(random.below(bit(16))) % (tile + 1); };
    PassShape shape;
    do {
      shape =
          equal_shares(tile, below_tile(), below_tile(), 0, 1 + static_cast<int>(random.below(4)));
      for (int& s : shape.between) s = below_tile();
    } while (!feasible(basis, shape));
    const auto passes = factor(map, basis, shape);
    ASSERT_EQ(wrong_by_ranks(map, passes, tile), std::nullopt);
    ASSERT_EQ(wrong_by_enumeration(map, passes, tile), std::nullopt);
    for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
      ASSERT_GE(passes[i].write_log2, shape.between[i]);
      ASSERT_GE(passes[i + 1].read_log2, shape.between[i]);
    }
    if (passes.size() > 1) ++multiple;
  }
  EXPECT_GT(multiple, 100);
}

TEST(DiskPasses, the_cheapest_is_as_cheap_as_any_shape_that_is_feasible) {
  Random random(9);
  int judged = 0;
  for (int n = 0; n < 40; ++n) {
    const int width = 6;
    const int tile = 2 + static_cast<int>(random.below(4));
    const AdaptedBasis basis = adapted_basis(testing::random_affine(width, random).matrix());
    RunCosts costs;
    for (int t = 0; t <= tile; ++t) {
      costs.read.push_back(100 + ((1 + random.below(1)) * 1600U >> static_cast<unsigned>(t)));
      costs.write.push_back(150 + (900U >> static_cast<unsigned>(t)));
    }
    const Cheapest found = cheapest(basis, {.tile = tile}, costs);
    ASSERT_TRUE(found.found);
    ASSERT_TRUE(feasible(basis, found.shape));
    const auto r_cost = [&](int t) { return costs.read[static_cast<std::size_t>(t)]; };
    const auto w_cost = [&](int t) { return costs.write[static_cast<std::size_t>(t)]; };
    const auto between = [&](int s) {
      return std::min(r_cost(tile) + w_cost(s), r_cost(s) + w_cost(tile));
    };
    for (int r = 0; r <= tile; ++r)
      for (int w = 0; w <= tile; ++w) {
        if (feasible(basis, equal_shares(tile, r, w, 0, 1))) {
          ASSERT_LE(found.cost, r_cost(r) + w_cost(w));
          ++judged;
        }
        for (int s = 0; s <= tile; ++s) {
          if (feasible(basis, equal_shares(tile, r, w, s, 2))) {
            ASSERT_LE(found.cost, r_cost(r) + w_cost(w) + between(s));
            ++judged;
          }
          for (int u = 0; u <= tile; ++u) {
            PassShape three = equal_shares(tile, r, w, s, 3);
            three.between[1] = u;
            if (!feasible(basis, three)) continue;
            ASSERT_LE(found.cost, r_cost(r) + w_cost(w) + between(s) + between(u));
            ++judged;
          }
        }
      }
  }
  EXPECT_GT(judged, 1000);
}

// A judge that says yes to all would pass everything above.
TEST(DiskPasses, the_verifiers_refuse_passes_that_were_tampered_with) {
  Random random(3);
  int refused = 0;
  for (int n = 0; n < 200; ++n) {
    const int width = 8;
    const BitMap map = testing::random_affine(width, random);
    const AdaptedBasis basis = adapted_basis(map.matrix());
    const int passes_count = fewest_passes(basis, 5, 3);
    auto passes = factor(map, basis, equal_shares(5, 3, 3, 3, passes_count));
    DiskPass& pass = passes[random.below(passes.size())];
    bool by_enumeration = true;
    switch (n % 5) {
      case 0:
        pass.map = BitMap::from_matrix(pass.map.matrix(), pass.map.complement() ^ bit(n % width));
        break;
      case 1:
        pass.read_log2 = static_cast<int>(pass.tile.size()) + 1;
        by_enumeration = false;
        break;
      case 2:
        pass.tile[0] = pass.tile[1];
        break;
      case 3:
        pass.map = testing::random_affine(width, random);
        break;
      default:
        pass.write_log2 = pass.write_log2 + 1;
        break;
    }
    if (wrong_by_ranks(map, passes, 5)) ++refused;
    if (by_enumeration) {
      ASSERT_TRUE(wrong_by_enumeration(map, passes, 5).has_value()) << n;
    }
  }
  EXPECT_EQ(refused, 200);
}

}  // namespace
}  // namespace faro::disk
