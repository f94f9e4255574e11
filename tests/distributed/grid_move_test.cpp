// Moves between placements of any lengths on any ranks, against lists of every element.
#include "faro/distributed/grid_move.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "distributed/assignment.hpp"
#include "distributed/grid_judge.hpp"
#include "faro/algebra/notation.hpp"
#include "faro/base/error.hpp"
#include "full.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

using testing::judge;
using testing::listed;
using testing::old_index;
using testing::random_placement;
using testing::Shape;
using testing::shuffle;

TEST(GridMove, random_moves_put_every_byte_in_its_place) {
  Random random(7);
  int copies = 0;
  int uneven = 0;
  const int rounds = testing::full_run() ? 20'000 : testing::sanitized() ? 150 : 800;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t axes = 1 + random.below(4);
    const std::uint64_t side = axes == 1 ? 60 : axes == 2 ? 14 : 6;
    Shape shape;
    for (std::size_t a = 0; a < axes; ++a) shape.push_back(1 + random.below(side));
    GridMoveOptions options;
    options.element_bytes = std::vector<std::uint64_t>{1, 2, 3, 4, 8, 16, 24}[random.below(7)];
    options.order.resize(axes);
    std::iota(options.order.begin(), options.order.end(), std::size_t{0});
    shuffle(options.order, random);
    Shape new_shape;
    for (const std::size_t a : options.order) {
      new_shape.push_back(shape[a]);
      options.reversed.push_back(random.below(2) == 1);
      options.roll.push_back(random.below(2) == 1 ? random.below(shape[a]) : 0);
    }
    if (random.below(3) == 0) options.relabel = Relabel::least;
    const GridPlacement from = random_placement(random, shape, 13);
    const GridPlacement to = random_placement(random, new_shape, 13);
    copies += from.copies() > 1 && to.copies() > 1 ? 1 : 0;
    uneven += from.ranks() != to.ranks() ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(
        judge(GridMove(from, to, options), options.element_bytes * (1 + random.below(20))))
        << "round " << round;
  }
  EXPECT_GT(copies, rounds / 20);
  EXPECT_GT(testing::sent_in_place, rounds);
  EXPECT_GT(uneven, rounds / 3);
}

TEST(GridMove, all_small_blocks_and_cycles) {
  int judged = 0;
  for (std::uint64_t n = 1; n <= 7; ++n)
    for (std::uint64_t p = 1; p <= 4; ++p)
      for (std::uint64_t q = 1; q <= 4; ++q)
        for (std::uint64_t b = 1; b <= 3; ++b)
          for (std::uint64_t c = 1; c <= 3; ++c)
            for (const bool reversed : {false, true}) {
              const GridPlacement from({p}, {{AxisDeal::cyclic(n, p, b), {0}}});
              const GridPlacement to({q}, {{AxisDeal::cyclic(n, q, c, q - 1), {0}}});
              for (std::uint64_t roll = 0; roll < n; ++roll) {
                const GridMove move(from, to, {2, {}, {reversed}, Relabel::never, {roll}});
                ASSERT_NO_FATAL_FAILURE(judge(move, 6));
                ++judged;
              }
            }
  EXPECT_EQ(judged, (1 + 2 + 3 + 4 + 5 + 6 + 7) * 4 * 4 * 9 * 2);
}

// Runs of neighbours as axes.
Shape grouped(const Shape& digits, Random& random) {
  Shape shape;
  for (const std::uint64_t n : digits) {
    if (!shape.empty() && random.below(2) == 0)
      shape.back() *= n;
    else
      shape.push_back(n);
  }
  return shape;
}

TEST(GridMove, digits_of_axes_change_places) {
  Random random(43);
  const int rounds = testing::full_run() ? 40'000 : testing::sanitized() ? 300 : 3'000;
  int judged = 0;
  int split = 0;
  int rolled = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::size_t count = 2 + random.below(4);
    Digits digits;
    Shape lengths;
    for (std::size_t k = 0; k < count; ++k) {
      lengths.push_back(1 + random.below(count > 3 ? 4 : 6));
      digits.from.push_back({lengths[k], static_cast<int>(k), false});
    }
    digits.to = digits.from;
    if (random.below(8) != 0) shuffle(digits.to, random);
    Shape new_lengths;
    for (Digit& digit : digits.to) {
      new_lengths.push_back(digit.length);
      digit.reversed = random.below(4) == 0;
      digit.roll = random.below(3) == 0 ? random.below(digit.length) : 0;
    }
    digits.bits = BitMap::identity(0);
    const Map map = Map::from_digits(digits);
    const Shape shape = grouped(lengths, random);
    const GridPlacement from = random_placement(random, shape, 13);
    const GridPlacement to = random_placement(random, grouped(new_lengths, random), 13);
    GridMoveOptions options;
    options.element_bytes = 1 + random.below(9);
    if (random.below(3) == 0) options.relabel = Relabel::least;
    try {
      const GridMove move(from, to, map, options);
      const Map back = map.inverse();
      ASSERT_NO_FATAL_FAILURE(judge(move, options.element_bytes * (1 + random.below(20)),
                                    [&](std::uint64_t i) { return back(i); }))
          << "round " << round << ": " << to_notation(map);
      ++judged;
      split += move.options().order.size() > shape.size() ? 1 : 0;
      const Shape& rolls = move.options().roll;
      rolled +=
          std::any_of(rolls.begin(), rolls.end(), [](auto roll) { return roll != 0; }) ? 1 : 0;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible) << error.what();
    }
  }
  EXPECT_GT(judged, rounds / 4);
  EXPECT_GT(split, rounds / 10);
  EXPECT_GT(rolled, rounds / 10);
}

// Every roll of every length is one digit, also where its normal form is parts of it or bits.
TEST(GridMove, an_axis_is_rolled_as_a_whole) {
  for (std::uint64_t n = 2; n <= 20; ++n)
    for (std::uint64_t roll = 1; roll < n; ++roll)
      for (const bool reversed : {false, true}) {
        const GridPlacement from({3}, {{AxisDeal::whole(2), {}}, {AxisDeal::block(n, 3), {0}}});
        const GridPlacement to({3}, {{AxisDeal::whole(2), {}}, {AxisDeal::cyclic(n, 3, 2), {0}}});
        const Map map = beside(Map::identity(2), Map::turn(n, {reversed, roll}));
        const GridMove move(from, to, map, {3});
        const Map back = map.inverse();
        ASSERT_NO_FATAL_FAILURE(judge(move, 9, [&](std::uint64_t i) { return back(i); }));
      }
}

std::uint64_t best_kept(const GridMove& fixed) {
  Shape order(fixed.facts().ranks);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const std::vector<Shape> before = listed(fixed.from());
  const std::vector<Shape> after = listed(fixed.to());
  std::vector<Shape> both(order.size(), Shape(order.size()));
  for (std::size_t r = 0; r < before.size(); ++r)
    for (std::size_t q = 0; q < after.size(); ++q) {
      const std::set<std::uint64_t> has(before[r].begin(), before[r].end());
      for (const std::uint64_t i : after[q]) both[r][q] += has.count(old_index(i, fixed));
    }
  std::uint64_t best = 0;
  do {
    std::uint64_t kept = 0;
    for (std::size_t r = 0; r < order.size(); ++r) kept += both[r][order[r]];
    best = std::max(best, kept);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(GridMove, relabelling_keeps_the_most_of_all_orders) {
  Random random(3);
  int better = 0;
  for (int round = 0; round < 120; ++round) {
    const Shape shape = {1 + random.below(8), 1 + random.below(8)};
    const GridPlacement from = random_placement(random, shape, 6);
    const GridPlacement to = random_placement(random, shape, 6);
    const GridMove fixed(from, to);
    const GridMove least(from, to, {1, {}, {}, Relabel::least});
    EXPECT_EQ(least.facts().kept_bytes, best_kept(fixed));
    EXPECT_EQ(least.facts().kept_bytes_at_most, least.facts().kept_bytes);
    EXPECT_EQ(least.facts().kept_bytes + least.facts().moved_bytes,
              fixed.facts().kept_bytes + fixed.facts().moved_bytes);
    better += least.facts().kept_bytes > fixed.facts().kept_bytes ? 1 : 0;
  }
  EXPECT_GT(better, 10);
}

TEST(GridMove, axis_by_axis_is_not_always_best) {
  // Overlaps [2 1; 2 1] and [2 2; 1 1] of two axes of 6 on 2 x 2 ranks: 3 * 3 stay, 10 can.
  const AxisDeal a = AxisDeal::listed(6, {3, 3});
  const AxisDeal b =
      AxisDeal::of_pieces(6, 2, {{0, 2, 0, 0}, {2, 3, 1, 0}, {3, 5, 0, 2}, {5, 6, 1, 1}});
  const AxisDeal c =
      AxisDeal::of_pieces(6, 2, {{0, 2, 0, 0}, {2, 3, 1, 0}, {3, 5, 0, 2}, {5, 6, 1, 1}});
  const GridPlacement from({2, 2}, {{a, {0}}, {c, {1}}});
  const GridPlacement to({2, 2}, {{b, {0}}, {a, {1}}});
  EXPECT_EQ(GridMove(from, to).facts().kept_bytes, 9U);
  EXPECT_EQ(GridMove(from, to, {1, {}, {}, Relabel::least}).facts().kept_bytes, 10U);
}

TEST(GridMove, assignments_are_the_best_of_all_orders) {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t n = 1 + random.below(6);
    Shape table(n * n);
    for (std::uint64_t& value : table) value = random.below(round % 2 == 0 ? 4 : 1000);
    const auto sum = [&](const Shape& order) {
      std::uint64_t total = 0;
      for (std::uint64_t r = 0; r < n; ++r) total += table[r * n + order[r]];
      return total;
    };
    Shape order(n);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::uint64_t best = 0;
    do best = std::max(best, sum(order));
    while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(sum(best_assignment(n, table)), best);
  }
}

TEST(GridMove, ten_thousand_ranks_are_planned_by_their_axes) {
  std::vector<GridAxis> rows;
  std::vector<GridAxis> columns;
  const Shape grid = {10, 10, 5, 5, 2, 2};
  for (std::size_t a = 0; a < grid.size(); ++a) {
    rows.push_back({AxisDeal::block(1001, grid[a]), {a}});
    columns.push_back({AxisDeal::cyclic(1001, grid[5 - a], 7), {5 - a}});
  }
  const GridMove move(GridPlacement(grid, rows), GridPlacement(grid, columns),
                      {8, {}, {}, Relabel::least});
  EXPECT_EQ(move.facts().ranks, 10'000U);
  EXPECT_EQ(move.facts().relabelled, GridMoveFacts::Relabelled::by_rank);
  EXPECT_LE(move.facts().kept_bytes, move.facts().kept_bytes_at_most);
  std::uint64_t received = move.kept_elements(1234);
  for (const GridMessage& m : move.receives(1234)) received += m.elements;
  EXPECT_EQ(received * 8, move.to_bytes(1234));
}

// Six axes on so many ranks, in blocks before and dealt in turns after.
GridMove six_axes(const Shape& from_grid, const Shape& to_grid, Relabel how) {
  std::vector<GridAxis> blocks;
  std::vector<GridAxis> turns;
  for (std::size_t a = 0; a < from_grid.size(); ++a) {
    blocks.push_back({AxisDeal::block(1001, from_grid[a]), {a}});
    turns.push_back({AxisDeal::cyclic(1001, to_grid[a], 7), {a}});
  }
  return {GridPlacement(from_grid, blocks), GridPlacement(to_grid, turns), {8, {}, {}, how}};
}

// Nothing is asked for by pair of ranks, nor by rank but its places in two lists: the requests are
// those of the axes, whatever the number of ranks.
TEST(GridMove, planning_asks_for_memory_by_axes) {
  const Shape few = {5, 5, 5, 5, 2, 2};
  const Shape many = {10, 10, 5, 5, 2, 2};
  const Shape turned = {2, 2, 5, 5, 10, 10};
  const auto asked = [](const Shape& from, const Shape& to, Relabel how) {
    return testing::memory_asked([&] { six_axes(from, to, how); });
  };
  const auto some = asked(few, few, Relabel::never);
  const auto all = asked(many, many, Relabel::never);
  EXPECT_LT(all.times, 600U);
  EXPECT_LE(all.times, some.times + 200);
  EXPECT_LT(all.bytes, (10'000U * 2 * 8) + (64U << 10U));
  // Relabelled, with the same parts on every axis and with others: lists that grow, and the axes.
  for (const Shape& to : {many, turned}) {
    const auto relabelled = asked(many, to, Relabel::least);
    EXPECT_LT(relabelled.times, 3'000U);
    EXPECT_LT(relabelled.bytes, 1U << 20U);
  }
  const GridMove unequal = six_axes(many, turned, Relabel::least);
  EXPECT_EQ(unequal.facts().relabelled, GridMoveFacts::Relabelled::by_rank);
  EXPECT_LE(unequal.facts().kept_bytes, unequal.facts().kept_bytes_at_most);
  EXPECT_GT(unequal.facts().kept_bytes, six_axes(many, turned, Relabel::never).facts().kept_bytes);
  Shape hosts = unequal.relabelling();
  std::sort(hosts.begin(), hosts.end());
  for (std::uint64_t r = 0; r < hosts.size(); ++r) ASSERT_EQ(hosts[r], r);
}

// 3000 ranks in blocks to 2700 in blocks, listed in another order, by both ways.
TEST(GridMove, many_ranks_choose_where_the_parts_are_others) {
  Shape backwards(2700);
  std::iota(backwards.rbegin(), backwards.rend(), std::uint64_t{0});
  const GridPlacement from({3000}, {{AxisDeal::block(30'000, 3000), {0}}});
  const GridPlacement to({2700}, {{AxisDeal::block(30'000, 2700), {0}}}, {backwards, {}});
  const GridMove move(from, to, {1, {}, {}, Relabel::least});
  const GridMoveFacts& facts = move.facts();
  EXPECT_EQ(facts.relabelled, GridMoveFacts::Relabelled::by_rank);
  EXPECT_GT(facts.kept_bytes, facts.kept_bytes_at_most / 2);
  EXPECT_GT(facts.kept_bytes, 10 * GridMove(from, to).facts().kept_bytes);
}

TEST(GridMove, runs_of_memory_go_from_their_place_to_their_place) {
  const GridPlacement rows({3}, {{AxisDeal::block(10, 3), {0}}, {AxisDeal::whole(6), {}}});
  const GridPlacement columns({3}, {{AxisDeal::whole(10), {}}, {AxisDeal::block(6, 3), {0}}});
  const GridMove out(rows, columns, {8});
  EXPECT_FALSE(out.slices_sent(0, 100)[0].place);                   // 4 rows of 2 among 6
  EXPECT_EQ(out.slices_received(0, 100).back().place, 4U * 2 * 8);  // rows 4 .. 7 of 2
  const GridMove back(columns, rows, {8});
  EXPECT_EQ(back.slices_sent(0, 100)[0].place, 4U * 2 * 8);
  EXPECT_FALSE(back.slices_received(1, 100)[0].place);
  const GridMove turned(rows, columns, {8, {}, {true, false}});
  EXPECT_FALSE(turned.slices_received(0, 100).back().place);
}

// Rows of 64 KiB lie apart on both sides and are sent each by itself; shorter ones are packed.
TEST(GridMove, long_pieces_of_a_message_are_slices) {
  for (const std::uint64_t bytes : {65'536U, 65'528U}) {
    const GridPlacement blocks({2}, {{AxisDeal::block(16, 2), {0}}, {AxisDeal::whole(1), {}}});
    const GridPlacement turns({2}, {{AxisDeal::cyclic(16, 2), {0}}, {AxisDeal::whole(1), {}}});
    const GridMove move(turns, blocks, {bytes, {}, {true, false}});
    const auto sent = move.slices_sent(0, 3);
    const auto received = move.slices_received(1, 3);
    const bool apart = bytes == 65'536;
    ASSERT_EQ(sent.size(), apart ? 4U : 2U);
    ASSERT_EQ(received.size(), sent.size());
    for (std::size_t k = 0; k < sent.size(); ++k) {
      EXPECT_EQ(sent[k].place.has_value(), true);
      EXPECT_EQ(received[k].place.has_value(), apart || sent[k].elements == 1);
    }
  }
  EXPECT_THROW(static_cast<void>(GridMove(GridPlacement({1}, {{AxisDeal::whole(2), {}}}),
                                          GridPlacement({1}, {{AxisDeal::whole(2), {}}}))
                                     .slices_sent(0, 0)),
               Error);
}

TEST(GridMove, what_does_not_fit_is_refused) {
  const GridPlacement a({3}, {{AxisDeal::block(10, 3), {0}}});
  const GridPlacement b({3}, {{AxisDeal::block(11, 3), {0}}});
  EXPECT_THROW(GridMove(a, b), Error);
  EXPECT_THROW(GridMove(a, a, {0}), Error);
  EXPECT_THROW(GridMove(a, a, {1, {1}}), Error);
  EXPECT_THROW(GridMove(a, a, {1, {}, {true, false}}), Error);
  EXPECT_THROW(GridPlacement({4}, {{AxisDeal::block(10, 3), {0}}}), Error);
  EXPECT_THROW(GridPlacement({3}, {{AxisDeal::block(10, 3), {1}}}), Error);
  EXPECT_THROW(GridPlacement({3}, {{AxisDeal::block(9, 3), {0}}, {AxisDeal::block(9, 3), {0}}}),
               Error);
  EXPECT_THROW(GridPlacement({3}, {{AxisDeal::block(9, 3), {0}}}, {{0, 1, 1}, {}}), Error);
  const GridMove move(a, GridPlacement({2}, {{AxisDeal::block(10, 2), {0}}}));
  std::vector<std::byte> four(4);
  std::vector<std::byte> one(1);
  EXPECT_THROW(move.pack(0, 1, 0, one, one), Error);               // another part
  EXPECT_THROW(move.pack(2, 0, 0, {four.data(), 2}, one), Error);  // nothing goes: 8, 9 to 0 .. 4
  EXPECT_THROW(static_cast<void>(move.sends(3)), Error);
  EXPECT_NO_THROW(move.pack(1, 0, 0, four, one));
  EXPECT_THROW(move.pack(1, 0, 1, four, one), Error);  // it has one element
}

}  // namespace
}  // namespace faro
