// Which rank holds which elements of an array of any lengths, and where in its memory.
//
//   GridPlacement({3, 4}, {{AxisDeal::block(7168, 3), {0}}, {AxisDeal::cyclic(50257, 4), {1}}})
//       7168 x 50257 on 12 ranks: rank r is at row r / 4 and column r % 4 of the grid; it has
//       2390 (the last 2388) rows, and every fourth column
//   GridPlacement({2, 6}, {{AxisDeal::block(9, 6), {1}}})         both rows of the grid have copies
//
// A grid of ranks has dimensions; an axis of the array is dealt over some of them, the first the
// most significant in the number of its part, or over none. Dimensions over which nothing is dealt
// hold copies. A rank's elements are a dense array of local_shape(rank), whose axes lie in memory
// by memory_order, the slowest first. It may be empty.
//
// Ranks are 0, 1, .. in the grid's C order unless they are listed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faro/layouts/axis_deal.hpp"

namespace faro::inline v1 {

struct GridAxis {
  AxisDeal deal;
  std::vector<std::size_t> over;  // dimensions of the grid; their product is deal.parts()
};

struct GridOrder {
  std::vector<std::uint64_t> ranks = {};       // at the grid's places in C order; empty: 0, 1, ..
  std::vector<std::size_t> memory_order = {};  // of axes, the slowest first; empty: 0, 1, ..
};

class GridPlacement {
 public:
  // Throws Error(usage) for parts that are not the product of their dimensions, a dimension used
  // twice, lists that are no permutations; Error(limit) for more than 2^24 ranks, 2^62 elements.
  GridPlacement(std::vector<std::uint64_t> grid, std::vector<GridAxis> axes,
                const GridOrder& order = {});

  std::uint64_t ranks() const { return ranks_; }
  const std::vector<std::uint64_t>& grid() const { return grid_; }
  const std::vector<GridAxis>& axes() const { return axes_; }
  const std::vector<std::size_t>& memory_order() const { return memory_order_; }
  std::vector<std::uint64_t> shape() const;
  std::uint64_t elements() const;
  // How many ranks hold each element.
  std::uint64_t copies() const { return copies_; }

  // Of a rank: its part of an axis, and which of the copies it holds (the number of its place in
  // the dimensions that hold copies, in C order).
  std::uint64_t part(std::uint64_t rank, std::size_t axis) const;
  std::uint64_t copy(std::uint64_t rank) const;
  std::uint64_t rank_of(const std::vector<std::uint64_t>& parts, std::uint64_t copy) const;
  std::vector<std::uint64_t> local_shape(std::uint64_t rank) const;
  std::uint64_t local_elements(std::uint64_t rank) const;
  // "axis 0: blocks of 2390 over 3; axis 1: cyclic over 4"
  std::string text() const;

 private:
  std::vector<std::uint64_t> grid_;
  std::vector<GridAxis> axes_;
  std::vector<std::size_t> memory_order_;
  std::vector<std::size_t> copied_;      // dimensions that hold copies
  std::vector<std::uint64_t> strides_;   // of the grid, in C order
  std::vector<std::uint64_t> rank_at_;   // by place; empty: the place
  std::vector<std::uint64_t> place_of_;  // by rank; empty: the rank
  std::uint64_t ranks_ = 1;
  std::uint64_t copies_ = 1;
};

}  // namespace faro::inline v1
