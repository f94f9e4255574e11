// The cells that a tile consists of on one side: units as they are read or written, or the meets of
// the tile with the tiles of the pass before or after. Where each lies in the array, in memory
// where the tile lies in their order, and in a file between two passes.
#pragma once

#include <cstdint>
#include <vector>

#include "disk/box_copy.hpp"
#include "disk/box_plan.hpp"

namespace faro::inline v1::disk {

class BoxCells {
 public:
  enum class Kind {
    units_from,  // of the input: nominal size, the input's order of axes, perhaps reversed
    units_to,    // of the output: nominal size
    meets,       // with boxes of `grid`: nothing but their elements
    whole_from,  // of a plain input: one cell, in the input's order of axes
    whole_to,    // of a plain output
  };

  // `grid` has the units or boxes; of the whole ones it is not looked at.
  BoxCells(const BoxGrids& grids, Kind kind, const std::vector<AxisGrid>& grid, Box tile,
           std::uint64_t element_bytes);

  std::uint64_t count() const { return count_; }
  // Number i in C order of the output's axes.
  std::vector<std::uint64_t> index(std::uint64_t i) const;   // of the grid's box, on each axis
  Box where(const std::vector<std::uint64_t>& index) const;  // what the tile has of it
  // Bytes of a cell as it is held, and where it begins in a tile that lies in this order.
  std::uint64_t bytes(const std::vector<std::uint64_t>& index) const;
  std::uint64_t offset(const std::vector<std::uint64_t>& index) const;
  // Of a cell that is held at `base`: of units all that the array has of them.
  BoxCell cell(const std::vector<std::uint64_t>& index, std::byte* base) const;
  // The cells that meet a box within the tile, numbers on each axis.
  Box meeting(const Box& box) const;
  const Box& tile() const { return tile_; }
  Kind kind() const { return kind_; }

 private:
  const BoxGrids& grids_;
  Kind kind_;
  const std::vector<AxisGrid>* grid_;
  Box tile_;
  std::uint64_t element_;
  std::vector<Interval> range_;  // of the grid's boxes, on each axis
  std::uint64_t count_ = 1;
  std::uint64_t unit_bytes_ = 0;
};

// Calls work(index) for each index of a box of numbers, in C order.
template <class Work>
void for_each_index(const Box& range, const Work& work) {
  std::vector<std::uint64_t> at;
  for (const Interval& axis : range) {
    if (axis.length() == 0) return;
    at.push_back(axis.begin);
  }
  for (;;) {
    work(at);
    std::size_t k = at.size();
    for (; k > 0; --k) {
      if (++at[k - 1] != range[k - 1].end) break;
      at[k - 1] = range[k - 1].begin;
    }
    if (k == 0) return;
  }
}

Box box_of(const std::vector<AxisGrid>& grid, const std::vector<std::uint64_t>& index);
// Number i of a grid in C order, and back.
std::vector<std::uint64_t> index_of(const std::vector<AxisGrid>& grid, std::uint64_t i);
std::uint64_t number_of(const std::vector<AxisGrid>& grid, const std::vector<std::uint64_t>& index);

}  // namespace faro::inline v1::disk
