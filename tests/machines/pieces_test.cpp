// Partitions of processors against an array of what lies where.
#include "machines/pieces.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "base/random.hpp"

namespace faro {
namespace {

constexpr int width = 6;
constexpr Word everybody = bit(width);
using Contents = std::array<std::optional<Word>, everybody>;

Word origin_at(const Piece& piece, Word p) {
  Word origin = 0;
  for (std::size_t i = 0; i < piece.origin.size(); ++i)
    if ((parity(p & piece.origin[i].mask) ^ piece.origin[i].value) != 0)
      origin |= bit(static_cast<int>(i));
  return origin;
}

Piece piece_on(const AffineSpace& space, const std::vector<Parity>& rows) {
  return {space, reduced_on(space, rows)};
}

void expect_same(const Partition& partition, const Contents& contents) {
  for (Word p = 0; p < everybody; ++p) {
    const Piece* piece = partition.at(p);
    ASSERT_EQ(piece != nullptr, contents[p].has_value()) << p;
    if (piece != nullptr) {
      ASSERT_EQ(origin_at(*piece, p), *contents[p]) << p;
    }
  }
}

void expect_nothing_left_to_merge(const Partition& partition) {
  const auto& pieces = partition.pieces();
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::size_t j = i + 1; j < pieces.size(); ++j)
      ASSERT_FALSE(merged(pieces[i], pieces[j]).has_value());
}

std::vector<Parity> random_rows(Random& random) {
  std::vector<Parity> rows(2);
  for (Parity& row : rows)
    row = {.mask = random.below(everybody), .value = static_cast<unsigned>(random.below(2))};
  return rows;
}

TEST(Pieces, hold_what_was_put_there_however_they_are_cut_and_merged) {
  Random random(17);
  std::size_t most = 0;
  int joined = 0;
  for (int round = 0; round < 60; ++round) {
    Partition partition;
    Contents contents;
    // Few maps, so that neighbours are often parts of one piece.
    std::vector<std::vector<Parity>> maps;
    for (int i = 0; i < 3; ++i) maps.push_back(random_rows(random));
    for (int change = 0; change < 25; ++change) {
      std::vector<Parity> where = random_rows(random);
      where.resize(1 + random.below(2));
      for (Word extra = random.below(4); extra > 0; --extra)
        where.push_back(random_rows(random)[0]);
      const AffineSpace region = AffineSpace::where(width, where);
      if (region.empty()) continue;
      const Piece piece = piece_on(region, maps[random.below(maps.size())]);
      partition.erase(region);
      partition.add(piece);
      for (Word p = 0; p < everybody; ++p)
        if (region.contains(p)) contents[p] = origin_at(piece, p);
      most = std::max(most, partition.pieces().size());
      const std::size_t before = partition.pieces().size();
      if (random.below(3) != 0) partition.merge();
      joined += partition.pieces().size() < before ? 1 : 0;
      ASSERT_NO_FATAL_FAILURE(expect_same(partition, contents));
    }
    partition.merge();
    ASSERT_NO_FATAL_FAILURE(expect_same(partition, contents));
    ASSERT_NO_FATAL_FAILURE(expect_nothing_left_to_merge(partition));
  }
  EXPECT_GT(most, 12U);  // both ways to merge were taken
  EXPECT_GT(joined, 100);
}

TEST(Pieces, cosets_of_one_map_become_one_piece) {
  const std::vector<Parity> rows{{.mask = 0b101, .value = 1}, {.mask = 0b110010, .value = 0}};
  for (const int constraints : {1, 2, 4}) {
    Partition partition;
    for (Word values = 0; values < bit(constraints); ++values) {
      std::vector<Parity> where;
      for (int i = 0; i < constraints; ++i)
        where.push_back({.mask = bit(i) | bit(5), .value = has_bit(values, i) ? 1U : 0U});
      partition.add(piece_on(AffineSpace::where(width, where), rows));
    }
    partition.merge();
    ASSERT_EQ(partition.pieces().size(), 1U) << constraints;
    EXPECT_EQ(partition.pieces().front(), piece_on(AffineSpace::where(width, {}), rows));
  }
}

TEST(Pieces, other_stages_other_pieces_and_other_masks_stay_apart) {
  const AffineSpace low = AffineSpace::where(width, std::vector<Parity>{{.mask = 1, .value = 0}});
  const AffineSpace high = AffineSpace::where(width, std::vector<Parity>{{.mask = 1, .value = 1}});
  const Piece one{low, {{.mask = 2, .value = 0}}};
  EXPECT_FALSE(merged(one, Piece{high, {{.mask = 4, .value = 0}}}).has_value());
  EXPECT_FALSE(merged(one, Piece{high, {{.mask = 2, .value = 0}}, 1}).has_value());
  EXPECT_FALSE(
      merged(one, Piece{high, {{.mask = 2, .value = 0}, {.mask = 4, .value = 0}}}).has_value());
  // Equal but for a constant: one piece, whose row reads the bit that told them apart.
  const auto both = merged(one, Piece{high, {{.mask = 2, .value = 1}}});
  ASSERT_TRUE(both.has_value());
  for (Word p = 0; p < everybody; ++p)
    EXPECT_EQ(origin_at(*both, p), (p >> 1U & 1U) ^ (p & 1U)) << p;
}

}  // namespace
}  // namespace faro
