// Boxes of an array in C order as runs of bytes, and boxes cut so that pieces fit a buffer.
#pragma once

#include <algorithm>

#include "disk/box_copy.hpp"

namespace faro::inline v1::disk {

// Calls work(piece) for pieces of `box` in C order, each of at most `bytes_max` (but of one element
// at least), whose elements are contiguous in C order of the box, and of an array of `lengths`
// on all axes after the first on which the box is not whole. The requests that run_requests counts.
template <class Work>
void for_each_piece(const Box& box, const std::vector<std::uint64_t>& lengths,
                    std::uint64_t element, std::uint64_t bytes_max, const Work& work) {
  const std::size_t axes = box.size();
  if (axes == 0) return work(box);
  std::size_t at = axes - 1;
  std::uint64_t inner = element;
  while (at > 0 && box[at].length() == lengths[at]) inner *= lengths[at--];
  // The first axis on which a piece has several indices, or one element.
  std::uint64_t extent = box[at].length();
  while (extent > bytes_max / std::max<std::uint64_t>(inner, 1) && inner > bytes_max &&
         at + 1 < axes) {
    ++at;
    extent = lengths[at];
    inner /= extent;
  }
  const std::uint64_t step = std::clamp<std::uint64_t>(bytes_max / inner, 1, extent);
  Box piece = box;
  for (std::size_t k = 0; k < at; ++k) piece[k].end = piece[k].begin + 1;
  for (;;) {
    for (std::uint64_t x = box[at].begin; x < box[at].end; x += step) {
      piece[at] = {x, x + std::min(step, box[at].end - x)};
      work(piece);
    }
    std::size_t k = at;
    for (; k > 0; --k) {
      Interval& axis = piece[k - 1];
      ++axis.begin;
      ++axis.end;
      if (axis.begin != box[k - 1].end) break;
      axis = {box[k - 1].begin, box[k - 1].begin + 1};
    }
    if (k == 0) return;
  }
}

// The byte at which a piece begins, of an array or box of `lengths` whose first element is at
// `begin`.
inline std::uint64_t byte_of(const Box& piece, const std::vector<std::uint64_t>& lengths,
                             const Box* begin, std::uint64_t element) {
  std::uint64_t at = 0;
  for (std::size_t k = 0; k < piece.size(); ++k)
    at = (at * lengths[k]) + (piece[k].begin - (begin != nullptr ? (*begin)[k].begin : 0));
  return at * element;
}

inline std::vector<std::uint64_t> lengths_of(const Box& box) {
  std::vector<std::uint64_t> lengths;
  for (const Interval& axis : box) lengths.push_back(axis.length());
  return lengths;
}

}  // namespace faro::inline v1::disk
