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
#include "faro/algebra/tensor_notation.hpp"
#include "faro/base/error.hpp"
#include "full.hpp"
#include "memory_asked.hpp"

namespace faro {
namespace {

using Shape = std::vector<std::uint64_t>;

// What a placement says of every rank's memory: the index of the array at each place.
std::vector<Shape> listed(const GridPlacement& p) {
  const Shape shape = p.shape();
  std::vector<Shape> held(p.ranks());
  for (std::uint64_t r = 0; r < p.ranks(); ++r) held[r].assign(p.local_elements(r), ~0ULL);
  for (std::uint64_t i = 0; i < p.elements(); ++i) {
    Shape index(shape.size());
    std::uint64_t rest = i;
    for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a]) index[a] = rest % shape[a];
    for (std::uint64_t r = 0; r < p.ranks(); ++r) {
      bool here = true;
      for (std::size_t a = 0; a < shape.size(); ++a)
        here = here && p.axes()[a].deal.part_of(index[a]) == p.part(r, a);
      if (!here) continue;
      const Shape local = p.local_shape(r);
      std::uint64_t place = 0;
      for (const std::size_t a : p.memory_order())
        place = place * local[a] + p.axes()[a].deal.place_of(index[a]);
      held[r][place] = i;
    }
  }
  return held;
}

// The old index of the element that has index i of the new array.
std::uint64_t old_index(std::uint64_t i, const GridMove& move) {
  const Shape from = move.from().shape();
  const Shape to = move.to().shape();
  Shape index(to.size());
  for (std::size_t k = to.size(); k-- > 0; i /= to[k]) {
    const std::uint64_t y = i % to[k];
    index[move.options().order[k]] = move.options().reversed[k] ? to[k] - 1 - y : y;
  }
  std::uint64_t result = 0;
  for (std::size_t a = 0; a < from.size(); ++a) result = result * from[a] + index[a];
  return result;
}

std::vector<std::byte> bytes_of(const Shape& indices, std::uint64_t element_bytes) {
  std::vector<std::byte> bytes(indices.size() * element_bytes);
  for (std::size_t k = 0; k < indices.size(); ++k)
    for (std::uint64_t b = 0; b < element_bytes; ++b)
      bytes[k * element_bytes + b] = static_cast<std::byte>((indices[k] + 1) * (2 * b + 1) >> b);
  return bytes;
}

std::ptrdiff_t as_offset(std::uint64_t bytes) {
  return static_cast<std::ptrdiff_t>(bytes);
}

int sent_in_place = 0;  // messages that judge() saw

// Every byte in its place, every message as stated, and the volume what ranks lack. `back` is the
// old index of a new one.
template <class Back>
void judge(const GridMove& move, std::uint64_t buffer_bytes, Back back) {
  const std::uint64_t bytes = move.options().element_bytes;
  const std::uint64_t ranks = move.facts().ranks;
  std::vector<Shape> before = listed(move.from());
  before.resize(ranks);
  std::vector<Shape> after(ranks);
  const std::vector<Shape> new_side = listed(move.to());
  for (std::uint64_t r = 0; r < ranks; ++r) {
    if (move.relabelling()[r] >= new_side.size()) continue;
    for (const std::uint64_t i : new_side[move.relabelling()[r]]) after[r].push_back(back(i));
  }
  std::vector<std::vector<std::byte>> parts;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    parts.push_back(bytes_of(before[r], bytes));
    ASSERT_EQ(move.from_bytes(r), parts.back().size());
  }
  std::vector<std::vector<std::byte>> results;
  const std::uint64_t moved = move_in_process(move, parts, results, buffer_bytes);
  std::uint64_t lacked = 0;
  std::uint64_t kept = 0;
  std::map<std::pair<std::uint64_t, std::uint64_t>, GridMessage> sent;
  for (std::uint64_t r = 0; r < ranks; ++r) {
    ASSERT_EQ(results[r], bytes_of(after[r], bytes)) << move.describe();
    const std::set<std::uint64_t> has(before[r].begin(), before[r].end());
    std::uint64_t stays = 0;
    for (const std::uint64_t i : after[r]) stays += has.contains(i) ? 1U : 0U;
    ASSERT_EQ(move.kept_elements(r), stays);
    lacked += after[r].size() - stays;
    kept += stays;
    for (const GridMessage& m : move.sends(r)) {
      ASSERT_NE(m.peer, r);
      ASSERT_EQ(m.elements, move.elements_between(r, m.peer));
      ASSERT_TRUE(sent.emplace(std::pair(r, m.peer), m).second);
      // What needs no packing is the memory itself.
      std::vector<std::byte> packed(m.elements * bytes);
      move.pack(r, m.peer, 0, parts[r], packed);
      if (const auto at = move.sent_from(r, m.peer)) {
        ASSERT_TRUE(std::equal(packed.begin(), packed.end(), parts[r].begin() + as_offset(*at)));
        ++sent_in_place;
      }
      if (const auto at = move.received_at(r, m.peer)) {
        ASSERT_TRUE(
            std::equal(packed.begin(), packed.end(), results[m.peer].begin() + as_offset(*at)));
      }
    }
  }
  ASSERT_EQ(moved, lacked * bytes) << move.describe();
  ASSERT_EQ(move.facts().moved_bytes, lacked * bytes);
  ASSERT_EQ(move.facts().kept_bytes, kept * bytes);
  for (std::uint64_t r = 0; r < ranks; ++r) {
    std::uint64_t received = 0;
    for (const GridMessage& m : move.receives(r)) {
      const auto found = sent.find(std::pair(m.peer, r));
      ASSERT_NE(found, sent.end()) << move.describe();
      ASSERT_EQ(found->second.elements, m.elements);
      ASSERT_EQ(found->second.pieces, m.pieces);
      received += m.elements;
      sent.erase(found);
    }
    ASSERT_LE(received * bytes, move.facts().most_received_bytes);
  }
  ASSERT_TRUE(sent.empty());
}

void judge(const GridMove& move, std::uint64_t buffer_bytes) {
  judge(move, buffer_bytes, [&](std::uint64_t i) { return old_index(i, move); });
}

AxisDeal random_deal(Random& random, std::uint64_t length, std::uint64_t parts) {
  if (random.below(3) == 0) return AxisDeal::block(length, parts);
  if (random.below(2) == 0) {
    std::vector<std::uint64_t> sizes(parts);
    for (std::uint64_t k = 0; k < length; ++k) ++sizes[random.below(parts)];
    return AxisDeal::listed(length, sizes);
  }
  return AxisDeal::cyclic(length, parts, 1 + random.below(4), random.below(parts));
}

template <class T>
void shuffle(std::vector<T>& list, Random& random) {
  for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[random.below(k)]);
}

GridPlacement random_placement(Random& random, const Shape& shape, std::uint64_t ranks_max) {
  Shape grid;
  for (std::uint64_t left = 1 + random.below(ranks_max); left > 1;) {
    std::uint64_t side = 2 + random.below(left - 1);
    grid.push_back(side);
    left /= side;
  }
  std::vector<std::vector<std::size_t>> over(shape.size());
  std::vector<std::size_t> dimensions(grid.size());
  std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
  shuffle(dimensions, random);
  for (const std::size_t d : dimensions) {
    const std::uint64_t where = random.below(shape.size() + 1);
    if (where < shape.size()) over[where].push_back(d);
  }
  std::vector<GridAxis> axes;
  std::uint64_t ranks = 1;
  for (const std::uint64_t side : grid) ranks *= side;
  for (std::size_t a = 0; a < shape.size(); ++a) {
    std::uint64_t parts = 1;
    for (const std::size_t d : over[a]) parts *= grid[d];
    axes.push_back({random_deal(random, shape[a], parts), over[a]});
  }
  GridOrder order;
  if (random.below(3) == 0) {
    order.ranks.resize(ranks);
    std::iota(order.ranks.begin(), order.ranks.end(), std::uint64_t{0});
    shuffle(order.ranks, random);
  }
  if (random.below(3) == 0) {
    order.memory_order.resize(shape.size());
    std::iota(order.memory_order.begin(), order.memory_order.end(), std::size_t{0});
    shuffle(order.memory_order, random);
  }
  return {grid, axes, order};
}

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
  EXPECT_GT(sent_in_place, rounds);
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
              ASSERT_NO_FATAL_FAILURE(judge(GridMove(from, to, {2, {}, {reversed}}), 6));
              ++judged;
            }
  EXPECT_EQ(judged, 7 * 4 * 4 * 9 * 2);
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
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::impossible) << error.what();
    }
  }
  EXPECT_GT(judged, rounds / 4);
  EXPECT_GT(split, rounds / 10);
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
  EXPECT_EQ(move.facts().relabelled, GridMoveFacts::Relabelled::by_axis);
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
  EXPECT_EQ(unequal.facts().relabelled, GridMoveFacts::Relabelled::by_axis);
  EXPECT_LE(unequal.facts().kept_bytes, unequal.facts().kept_bytes_at_most);
  EXPECT_GE(unequal.facts().kept_bytes, six_axes(many, turned, Relabel::never).facts().kept_bytes);
}

TEST(GridMove, messages_that_are_runs_of_memory_say_where) {
  const GridPlacement rows({3}, {{AxisDeal::block(10, 3), {0}}, {AxisDeal::whole(6), {}}});
  const GridPlacement columns({3}, {{AxisDeal::whole(10), {}}, {AxisDeal::block(6, 3), {0}}});
  const GridMove out(rows, columns, {8});
  EXPECT_FALSE(out.sent_from(0, 1));             // 4 rows of 2 among 6
  EXPECT_EQ(out.received_at(1, 0), 4U * 2 * 8);  // rows 4 .. 7 of 2
  const GridMove back(columns, rows, {8});
  EXPECT_EQ(back.sent_from(0, 1), 4U * 2 * 8);
  EXPECT_FALSE(back.received_at(0, 1));
  const GridMove turned(rows, columns, {8, {}, {true, false}});
  EXPECT_FALSE(turned.received_at(1, 0));
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
