// Elements of a box where they lie in memory, and copies of what two boxes share.
//
// A cell holds the elements of a box: the one at place x is at
//
//   base + (x_0 - where_0.begin) stride_0 + (x_1 - where_1.begin) stride_1 + ..     bytes
//
// in the coordinates of the output, so that order of axes and reversals are strides, some negative.
// Copies of some size that have no run in common go through the engine's plans of any strides, one
// for each shape that comes up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "disk/box_grid.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::disk {

using Box = std::vector<Interval>;

std::uint64_t elements_of(const Box& box);
// Empty (of no element) where they do not meet.
Box common_box(const Box& a, const Box& b);

struct BoxCell {
  std::byte* base = nullptr;
  Box where;
  std::vector<std::int64_t> stride;

  // Requires that `place` is in it.
  std::byte* at(const Box& place) const;
};

// Of `lengths` in C order, from its first element on.
std::vector<std::int64_t> c_strides(std::span<const std::uint64_t> lengths, std::uint64_t element);

class BoxCopier {
 public:
  explicit BoxCopier(std::uint64_t element_bytes) : element_(element_bytes) {}
  // Of the elements of `box`, which both cells have. Any threads at the same time, on different
  // elements of `to`.
  void copy(const BoxCell& from, const BoxCell& to, const Box& box);
  void fill(const BoxCell& to, const Box& box, std::span<const std::byte> element) const;

 private:
  struct Axis {
    std::uint64_t count;
    std::int64_t from;
    std::int64_t to;
  };
  std::vector<Axis> axes_of(const BoxCell& from, const BoxCell& to, const Box& box) const;
  bool by_plan(const std::vector<Axis>& axes, const std::byte* from, std::byte* to);

  std::uint64_t element_;
  std::mutex mutex_;
  std::map<std::vector<std::int64_t>, std::shared_ptr<const PermutePlan>> plans_;
};

}  // namespace faro::inline v1::disk
