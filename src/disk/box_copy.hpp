// Elements of a box where they lie in memory, and copies of what two boxes share.
//
// A cell holds the elements of a box: the one at place x is at
//
//   base + (x_0 - where_0.begin) stride_0 + (x_1 - where_1.begin) stride_1 + ..     bytes
//
// in the coordinates of the output, so that order of axes and reversals are strides, some negative.
// What is copied are nests of loops (engine/nest_copy.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "disk/box_grid.hpp"
#include "engine/nest_copy.hpp"

namespace faro::inline v1::disk {

using Box = std::vector<Interval>;

std::uint64_t elements_of(const Box& box);
// Elements one after another, each this one.
void fill_elements(std::span<std::byte> bytes, std::span<const std::byte> element);
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
  explicit BoxCopier(std::uint64_t element_bytes);
  // Of the elements of `box`, which both cells have. Any threads at the same time, on different
  // elements of `to`.
  void copy(const BoxCell& from, const BoxCell& to, const Box& box) const;
  void fill(const BoxCell& to, const Box& box, std::span<const std::byte> element) const;

 private:
  NestCopier copier_;
};

}  // namespace faro::inline v1::disk
