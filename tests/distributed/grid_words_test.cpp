// Moves between ranks as users say them.
#include <gtest/gtest.h>

#include "faro/base/error.hpp"
#include "faro/distributed/grid_move.hpp"

namespace faro {
namespace {

constexpr const char* rows = "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(3)";
constexpr const char* columns = "dtensor:(4,) [Shard(1)]";

GridMove said(const std::string& words, const std::vector<std::uint64_t>& shape) {
  return grid_move(words, shape, {.element_bytes = 8});
}

TEST(GridMoveWords, rows_become_columns) {
  const GridMove move = said(std::string(rows) + " => " + columns, {10, 9});
  EXPECT_EQ(move.facts().ranks, 4U);
  // Blocks of 4, 4, 2 rows and of 3, 3, 3, 0 columns: 12 + 12 + 6 elements stay.
  EXPECT_EQ(move.facts().kept_bytes, 30U * 8);
  EXPECT_EQ(move.facts().moved_bytes, 60U * 8);
}

TEST(GridMoveWords, axes_change_places_and_are_reversed_between) {
  using Order = std::vector<std::size_t>;
  const auto between = [](const std::string& map, const std::vector<std::uint64_t>& shape) {
    std::string dims;
    for (std::size_t a = 1; a < shape.size(); ++a) dims += ", *";
    const std::string side = "hpf:DISTRIBUTE A(BLOCK" + dims + ") ONTO P(3)";
    return said(side + " => " + map + " => " + side, shape).options();
  };
  EXPECT_EQ(between("r c -> c r", {10, 9}).order, (Order{1, 0}));
  EXPECT_EQ(between("r c -> c ~r", {10, 10}).order, (Order{1, 0}));
  EXPECT_EQ(between("r c -> c ~r", {10, 9}).reversed, (std::vector<bool>{false, true}));
  EXPECT_EQ(between("a b c -> c ~a b", {4, 2, 7}).order, (Order{2, 0, 1}));
  // Axes of length 1 come last.
  EXPECT_EQ(between("numpy:a.transpose(2, 0, 1)", {3, 1, 5}).order, (Order{1, 0, 2, 3}));
  EXPECT_EQ(between("numpy:np.flip(a, 1)", {3, 5}).reversed, (std::vector<bool>{false, true}));
  EXPECT_EQ(between("r c -> ~r ~c", {2, 2}).reversed, (std::vector<bool>{true, true}));
  // Each roll is one of its axis, whatever its normal form.
  using Rolls = std::vector<std::uint64_t>;
  EXPECT_EQ(between("numpy:np.roll(a, (1, -3), (0, 1))", {10, 9}).roll, (Rolls{1, 6}));
  EXPECT_EQ(between("numpy:np.fft.fftshift(a)", {10, 9}).roll, (Rolls{5, 4}));
  EXPECT_EQ(between("r c -> c roll(~r, 4)", {10, 9}).roll, (Rolls{0, 4}));
  EXPECT_EQ(between("numpy:np.roll(a, (3, 6), (0, 1))", {4, 16}).roll, (Rolls{3, 6}));
}

TEST(GridMoveWords, axes_are_split_and_joined_between) {
  // 24 rows are 6 tiles of 4; 8 ranks of 3 rows cut the tiles at 1, 2 and 3 quarters.
  const std::string map = "(t i=4) c -> t c i";
  const GridMove move = said(
      "hpf:DISTRIBUTE A(BLOCK, *) ONTO P(6) => " + map + " => dtensor:(2,) [Shard(1)]", {24, 10});
  EXPECT_EQ(move.from_shape(0), (std::vector<std::uint64_t>{4, 10}));
  EXPECT_EQ(move.to_shape(0), (std::vector<std::uint64_t>{6, 5, 4}));
  EXPECT_EQ(move.facts().bytes, 24U * 10 * 8);
  // Each of two ranks has half of the columns of its one tile.
  EXPECT_EQ(move.facts().kept_bytes, 2U * 4 * 5 * 8);
  EXPECT_THROW(
      said("hpf:DISTRIBUTE A(BLOCK, *) ONTO P(8) => " + map + " => dtensor:(2,) [Shard(1)]",
           {24, 10}),
      Error);
}

TEST(GridMoveWords, other_maps_and_other_words_are_refused) {
  const std::string to = std::string(" => ") + rows;
  EXPECT_THROW(said(rows, {10, 9}), Error);
  EXPECT_THROW(said(rows + to + to + to, {10, 9}), Error);
  EXPECT_THROW(said(rows + std::string(" => r c -> gray(c) r") + to, {10, 8}), Error);
  EXPECT_THROW(said(rows + std::string(" => cute:(4,8):(1,4)"), {4, 8}), Error);
  EXPECT_TRUE(says_grid_move(rows + to));
  EXPECT_FALSE(says_grid_move("x:3 -> x[2:1] | x[0] => x:3 -> x[1:0] | x[2]"));
  EXPECT_FALSE(says_grid_move(rows));
}

}  // namespace
}  // namespace faro
