// The judge of moves between placements: lists of every element, byte by byte, and placements at
// random: blocks, listed sizes and turns on grids of ranks, some of which hold copies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "faro/distributed/grid_move.hpp"

namespace faro::testing {

using Shape = std::vector<std::uint64_t>;

// What a placement says of every rank's memory: the index of the array at each place.
inline std::vector<Shape> listed(const GridPlacement& p) {
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
inline std::uint64_t old_index(std::uint64_t i, const GridMove& move) {
  const Shape from = move.from().shape();
  const Shape to = move.to().shape();
  Shape index(to.size());
  for (std::size_t k = to.size(); k-- > 0; i /= to[k]) {
    const std::uint64_t y = (i % to[k] + to[k] - move.options().roll[k]) % to[k];
    index[move.options().order[k]] = move.options().reversed[k] ? to[k] - 1 - y : y;
  }
  std::uint64_t result = 0;
  for (std::size_t a = 0; a < from.size(); ++a) result = result * from[a] + index[a];
  return result;
}

inline std::vector<std::byte> bytes_of(const Shape& indices, std::uint64_t element_bytes) {
  std::vector<std::byte> bytes(indices.size() * element_bytes);
  for (std::size_t k = 0; k < indices.size(); ++k)
    for (std::uint64_t b = 0; b < element_bytes; ++b)
      bytes[k * element_bytes + b] = static_cast<std::byte>((indices[k] + 1) * (2 * b + 1) >> b);
  return bytes;
}

inline std::ptrdiff_t as_offset(std::uint64_t bytes) {
  return static_cast<std::ptrdiff_t>(bytes);
}

inline int sent_in_place = 0;  // slices that judge() saw

// What a rank sends in slices is what their receivers wait for, in the same order, all of its
// messages; and what has a place is the memory itself.
inline void judge_slices(const GridMove& move, std::uint64_t sender, std::uint64_t elements_max,
                         const std::vector<std::byte>& from,
                         const std::vector<std::vector<std::byte>>& results) {
  const std::uint64_t bytes = move.options().element_bytes;
  const std::uint64_t ranks = move.facts().ranks;
  std::map<std::uint64_t, std::vector<GridSlice>> sent;
  std::uint64_t turn = 0;
  for (const GridSlice& slice : move.slices_sent(sender, elements_max)) {
    ASSERT_GE((slice.peer + ranks - sender) % ranks, turn);
    turn = (slice.peer + ranks - sender) % ranks;
    sent[slice.peer].push_back(slice);
  }
  std::size_t messages = 0;
  for (const GridMessage& m : move.sends(sender)) {
    std::vector<GridSlice> received;
    turn = 0;
    for (const GridSlice& slice : move.slices_received(m.peer, elements_max)) {
      ASSERT_GE((m.peer + ranks - slice.peer) % ranks, turn);
      turn = (m.peer + ranks - slice.peer) % ranks;
      if (slice.peer == sender) received.push_back(slice);
    }
    std::vector<std::byte> packed(m.elements * bytes);
    move.pack(sender, m.peer, 0, from, packed);
    std::uint64_t next = 0;
    ASSERT_EQ(sent[m.peer].size(), received.size());
    for (std::size_t k = 0; k < received.size(); ++k) {
      const GridSlice& out = sent[m.peer][k];
      ASSERT_EQ(out.first, next);
      ASSERT_EQ(received[k].first, next);
      ASSERT_EQ(received[k].elements, out.elements);
      const auto begin = packed.begin() + as_offset(next * bytes);
      const auto end = begin + as_offset(out.elements * bytes);
      if (out.place) {
        ASSERT_TRUE(std::equal(begin, end, from.begin() + as_offset(*out.place)));
        ++sent_in_place;
      }
      if (received[k].place) {
        ASSERT_TRUE(
            std::equal(begin, end, results[m.peer].begin() + as_offset(*received[k].place)));
      }
      if (!out.place || !received[k].place) {
        ASSERT_LE(out.elements, elements_max);
      }
      next += out.elements;
    }
    ASSERT_EQ(next, m.elements);
    ++messages;
  }
  ASSERT_EQ(messages, sent.size());
}

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
    }
    ASSERT_NO_FATAL_FAILURE(judge_slices(move, r, 1 + buffer_bytes / bytes, parts[r], results));
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

inline void judge(const GridMove& move, std::uint64_t buffer_bytes) {
  judge(move, buffer_bytes, [&](std::uint64_t i) { return old_index(i, move); });
}

inline AxisDeal random_deal(Random& random, std::uint64_t length, std::uint64_t parts) {
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

inline GridPlacement random_placement(Random& random, const Shape& shape, std::uint64_t ranks_max) {
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

}  // namespace faro::testing
