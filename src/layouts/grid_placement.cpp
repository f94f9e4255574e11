// Placements of arrays of any lengths: axes dealt to ranks, and the memory of each rank.
#include <fmt/format.h>

#include <utility>

#include "faro/base/bits.hpp"
#include "faro/base/count.hpp"
#include "faro/base/error.hpp"
#include "faro/layouts/placement.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::uint64_t grid_ranks_max = bit(24);
constexpr std::uint64_t grid_elements_max = bit(62);

// Refuses lists that are not 0 .. count - 1 in some order; empty is all of them in theirs.
template <class T>
std::vector<T> permutation_or_refuse(const std::vector<T>& list, std::uint64_t count,
                                     const char* what) {
  std::vector<T> result = list;
  if (list.empty())
    for (std::uint64_t k = 0; k < count; ++k) result.push_back(static_cast<T>(k));
  std::vector<bool> taken(count);
  bool right = result.size() == count;
  for (std::size_t k = 0; right && k < result.size(); ++k) {
    right = result[k] < count && !taken[result[k]];
    if (right) taken[result[k]] = true;
  }
  if (!right)
    throw Error(ErrorCode::usage,
                fmt::format("the list of {} is not 0 to {} in some order", what, count - 1));
  return result;
}

}  // namespace

GridPlacement::GridPlacement(std::vector<std::uint64_t> grid, std::vector<GridAxis> axes,
                             const GridOrder& order)
    : grid_(std::move(grid)), axes_(std::move(axes)) {
  for (const std::uint64_t side : grid_) {
    if (side == 0) throw Error(ErrorCode::usage, "a grid of 0 ranks");
    ranks_ = size_product(ranks_, side, "ranks");
  }
  if (ranks_ > grid_ranks_max)
    throw Error(ErrorCode::limit, fmt::format("{} ranks; at most 2^24", ranks_));
  strides_.assign(grid_.size(), 1);
  for (std::size_t d = grid_.size(); d-- > 1;) strides_[d - 1] = strides_[d] * grid_[d];
  std::vector<bool> used(grid_.size());
  std::uint64_t elements = 1;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    std::uint64_t parts = 1;
    for (const std::size_t d : axes_[a].over) {
      if (d >= grid_.size() || used[d])
        throw Error(ErrorCode::usage,
                    fmt::format("axis {} over dimension {} of the grid: it has {}, each for one "
                                "axis",
                                a, d, grid_.size()));
      used[d] = true;
      parts *= grid_[d];
    }
    if (parts != axes_[a].deal.parts())
      throw Error(ErrorCode::usage,
                  fmt::format("axis {} is dealt to {} parts over {} ranks of the grid", a,
                              axes_[a].deal.parts(), parts));
    elements = size_product(elements, axes_[a].deal.length(), "the shape");
  }
  if (elements > grid_elements_max)
    throw Error(ErrorCode::limit, fmt::format("{} elements; at most 2^62", elements));
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    if (used[d]) continue;
    copied_.push_back(d);
    copies_ *= grid_[d];
  }
  memory_order_ = permutation_or_refuse(order.memory_order, axes_.size(), "axes in memory");
  if (!order.ranks.empty()) {
    rank_at_ = permutation_or_refuse(order.ranks, ranks_, "ranks");
    place_of_.resize(ranks_);
    for (std::uint64_t place = 0; place < ranks_; ++place) place_of_[rank_at_[place]] = place;
  }
}

std::vector<std::uint64_t> GridPlacement::shape() const {
  std::vector<std::uint64_t> shape;
  for (const GridAxis& axis : axes_) shape.push_back(axis.deal.length());
  return shape;
}

std::uint64_t GridPlacement::elements() const {
  std::uint64_t total = 1;
  for (const GridAxis& axis : axes_) total *= axis.deal.length();
  return total;
}

std::uint64_t GridPlacement::part(std::uint64_t rank, std::size_t axis) const {
  const std::uint64_t place = place_of_.empty() ? rank : place_of_[rank];
  std::uint64_t part = 0;
  for (const std::size_t d : axes_[axis].over)
    part = part * grid_[d] + place / strides_[d] % grid_[d];
  return part;
}

std::uint64_t GridPlacement::copy(std::uint64_t rank) const {
  const std::uint64_t place = place_of_.empty() ? rank : place_of_[rank];
  std::uint64_t copy = 0;
  for (const std::size_t d : copied_) copy = copy * grid_[d] + place / strides_[d] % grid_[d];
  return copy;
}

std::uint64_t GridPlacement::rank_of(const std::vector<std::uint64_t>& parts,
                                     std::uint64_t copy) const {
  std::uint64_t place = 0;
  const auto put = [&](const std::vector<std::size_t>& over, std::uint64_t number) {
    for (std::size_t k = over.size(); k-- > 0;) {
      place += number % grid_[over[k]] * strides_[over[k]];
      number /= grid_[over[k]];
    }
  };
  for (std::size_t a = 0; a < axes_.size(); ++a) put(axes_[a].over, parts[a]);
  put(copied_, copy);
  return rank_at_.empty() ? place : rank_at_[place];
}

std::vector<std::uint64_t> GridPlacement::local_shape(std::uint64_t rank) const {
  std::vector<std::uint64_t> shape;
  for (std::size_t a = 0; a < axes_.size(); ++a) shape.push_back(axes_[a].deal.size(part(rank, a)));
  return shape;
}

std::uint64_t GridPlacement::local_elements(std::uint64_t rank) const {
  std::uint64_t total = 1;
  for (std::size_t a = 0; a < axes_.size(); ++a) total *= axes_[a].deal.size(part(rank, a));
  return total;
}

std::string GridPlacement::text() const {
  std::string result;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    if (axes_[a].deal.is_whole()) continue;
    result += fmt::format("{}axis {}: {} over {}", result.empty() ? "" : "; ", a,
                          axes_[a].deal.text(), axes_[a].deal.parts());
  }
  if (result.empty()) result = "whole";
  return copies_ == 1 ? result : result + fmt::format("; {} copies", copies_);
}

}  // namespace faro::inline v1
