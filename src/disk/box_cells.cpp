#include "disk/box_cells.hpp"

#include <algorithm>

namespace faro::inline v1::disk {

Box box_of(const std::vector<AxisGrid>& grid, const std::vector<std::uint64_t>& index) {
  Box box(grid.size());
  for (std::size_t k = 0; k < grid.size(); ++k) box[k] = grid[k].block(index[k]);
  return box;
}

std::vector<std::uint64_t> index_of(const std::vector<AxisGrid>& grid, std::uint64_t i) {
  std::vector<std::uint64_t> index(grid.size());
  for (std::size_t k = grid.size(); k-- > 0; i /= grid[k].count()) index[k] = i % grid[k].count();
  return index;
}

std::uint64_t number_of(const std::vector<AxisGrid>& grid,
                        const std::vector<std::uint64_t>& index) {
  std::uint64_t i = 0;
  for (std::size_t k = 0; k < grid.size(); ++k) i = (i * grid[k].count()) + index[k];
  return i;
}

BoxCells::BoxCells(const BoxGrids& grids, Kind kind, const std::vector<AxisGrid>& grid, Box tile,
                   std::uint64_t element_bytes)
    : grids_(grids), kind_(kind), grid_(&grid), tile_(std::move(tile)), element_(element_bytes) {
  const bool whole = kind == Kind::whole_from || kind == Kind::whole_to;
  for (std::size_t k = 0; k < tile_.size(); ++k) {
    range_.push_back(whole ? Interval{0, 1} : grid[k].meeting(tile_[k]));
    count_ *= range_.back().length();
  }
  if (kind == Kind::units_from || kind == Kind::units_to) {
    unit_bytes_ = element_;
    for (const std::uint64_t n : kind == Kind::units_from ? grids.nominal_from : grids.nominal_to)
      unit_bytes_ *= n;
  }
}

std::vector<std::uint64_t> BoxCells::index(std::uint64_t i) const {
  std::vector<std::uint64_t> index(range_.size());
  for (std::size_t k = range_.size(); k-- > 0; i /= range_[k].length())
    index[k] = range_[k].begin + (i % range_[k].length());
  return index;
}

Box BoxCells::where(const std::vector<std::uint64_t>& index) const {
  if (kind_ == Kind::whole_from || kind_ == Kind::whole_to) return tile_;
  return common_box(box_of(*grid_, index), tile_);
}

std::uint64_t BoxCells::bytes(const std::vector<std::uint64_t>& index) const {
  return unit_bytes_ != 0 ? unit_bytes_ : elements_of(where(index)) * element_;
}

// Of meets: what the axes before have of earlier boxes, with all of the axes after; then within.
std::uint64_t BoxCells::offset(const std::vector<std::uint64_t>& index) const {
  if (unit_bytes_ != 0) {
    std::uint64_t i = 0;
    for (std::size_t k = 0; k < index.size(); ++k)
      i = (i * range_[k].length()) + (index[k] - range_[k].begin);
    return i * unit_bytes_;
  }
  if (kind_ != Kind::meets) return 0;
  std::uint64_t offset = 0;
  std::uint64_t before = element_;
  const Box box = where(index);
  std::uint64_t after = 1;
  for (const Interval& axis : tile_) after *= axis.length();
  for (std::size_t k = 0; k < box.size(); ++k) {
    after /= tile_[k].length();
    offset += before * (box[k].begin - tile_[k].begin) * after;
    before *= box[k].length();
  }
  return offset;
}

BoxCell BoxCells::cell(const std::vector<std::uint64_t>& index, std::byte* base) const {
  BoxCell cell{.base = base, .where = where(index), .stride = {}};
  const std::size_t axes = tile_.size();
  std::vector<std::uint64_t> lengths(axes);
  if (kind_ == Kind::meets || kind_ == Kind::whole_to) {
    for (std::size_t k = 0; k < axes; ++k) lengths[k] = cell.where[k].length();
    cell.stride = c_strides(lengths, element_);
    return cell;
  }
  if (kind_ == Kind::units_to) {
    cell.where = box_of(*grid_, index);
    cell.stride = c_strides(grids_.nominal_to, element_);
    return cell;
  }
  // The input's order; a reversed axis is held from its last place down.
  if (kind_ == Kind::units_from) cell.where = box_of(*grid_, index);
  for (std::size_t k = 0; k < axes; ++k)
    lengths[grids_.axes[k]] =
        kind_ == Kind::units_from ? grids_.nominal_from[k] : cell.where[k].length();
  const std::vector<std::int64_t> stride = c_strides(lengths, element_);
  for (std::size_t k = 0; k < axes; ++k) {
    cell.stride.push_back(stride[grids_.axes[k]]);
    if (!grids_.reversed[k]) continue;
    cell.base += cell.stride[k] * static_cast<std::int64_t>(cell.where[k].length() - 1);
    cell.stride[k] = -cell.stride[k];
  }
  return cell;
}

Box BoxCells::meeting(const Box& box) const {
  if (kind_ == Kind::whole_from || kind_ == Kind::whole_to)
    return Box(tile_.size(), Interval{0, 1});
  Box found(box.size());
  for (std::size_t k = 0; k < box.size(); ++k) found[k] = (*grid_)[k].meeting(box[k]);
  return found;
}

}  // namespace faro::inline v1::disk
