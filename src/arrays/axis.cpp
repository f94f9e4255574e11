#include "arrays/axis.hpp"

#include <fmt/format.h>

#include <vector>

#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {

void refuse(const std::string& name, const std::string& message) {
  throw Error(ErrorCode::usage, fmt::format("{}: {}", name, message));
}

namespace {

std::string axes_of_bits(const NpyHeader& header) {
  std::string axes;
  for (std::size_t k = 0; k < header.shape.size(); ++k)
    if (is_power_of_two(header.shape[k]) && header.shape[k] > 1)
      axes += fmt::format("{}axis {} ({} elements)", axes.empty() ? "" : ", ", k, header.shape[k]);
  return axes;
}

// "8 and 16 are the nearest powers of two", and which axes would do.
[[noreturn]] void refuse_length(const std::string& name, const NpyHeader& header,
                                const std::string& what, std::uint64_t length) {
  std::string message =
      fmt::format("{} {} elements; a map of index bits needs a power of two", what, length);
  if (length > 1 && length < bit(62)) {
    const Word below = bit(highest_bit(length));
    message += fmt::format(", of which {} and {} are the nearest", below, 2 * below);
  } else if (length == 0) {
    message += ", and 1 is the least";
  }
  const std::string axes = axes_of_bits(header);
  if (!axes.empty())
    message += fmt::format("; of shape {} these would do: {}", shape_text(header), axes);
  refuse(name, message);
}

// Logical C order -> Fortran order, both flattened. Requires sides that are powers of two.
BitMap fortran_places(const std::vector<std::uint64_t>& shape) {
  int total = 0;
  for (const std::uint64_t side : shape) total += log2_exact(side);
  std::vector<int> place(static_cast<std::size_t>(total));
  int logical = total;
  int stored = 0;
  for (const std::uint64_t side : shape) {
    const int width = log2_exact(side);
    logical -= width;
    for (int b = 0; b < width; ++b) place[static_cast<std::size_t>(logical + b)] = stored + b;
    stored += width;
  }
  return BitMap::from_places(place);
}

ArrayAxis whole_array(const NpyHeader& header, const std::string& name) {
  const std::uint64_t length = header.elements();
  if (!is_power_of_two(length)) refuse_length(name, header, "the array has", length);
  ArrayAxis axis;
  axis.width = log2_exact(length);
  axis.shape.element_bytes = header.element_bytes;
  axis.to_storage = header.order == NpyHeader::Order::fortran ? fortran_places(header.shape)
                                                              : BitMap::identity(axis.width);
  return axis;
}

}  // namespace

std::string shape_text(const NpyHeader& header) {
  std::string text;
  for (const std::uint64_t side : header.shape)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", side);
  return fmt::format("({}{})", text, header.shape.size() == 1 ? "," : "");
}

std::string array_text(const NpyHeader& header, std::optional<std::int64_t> axis,
                       const std::string& name) {
  const auto axes = static_cast<std::int64_t>(header.shape.size());
  std::uint64_t length = header.elements();
  std::string text = fmt::format("{}, shape {}", name, shape_text(header));
  if (axis && *axis >= -axes && *axis < axes) {
    const std::int64_t k = *axis < 0 ? *axis + axes : *axis;
    length = header.shape[static_cast<std::size_t>(k)];
    text = fmt::format("{}, axis {} of shape {}", name, k, shape_text(header));
  }
  if (is_power_of_two(length)) return fmt::format("{}, 2^{} elements", text, log2_exact(length));
  const std::string would_do = axes_of_bits(header);
  return fmt::format("{}, {} elements{}", text, length,
                     would_do.empty() ? "" : fmt::format(" (--axis takes {})", would_do));
}

ArrayAxis array_axis(const NpyHeader& header, std::optional<std::int64_t> wanted,
                     const std::string& name) {
  if (header.element_bytes == 0)
    refuse(name, "its elements have no bytes, so there is nothing to move");
  if (!wanted) return whole_array(header, name);
  const auto axes = static_cast<std::int64_t>(header.shape.size());
  const std::int64_t index = *wanted < 0 ? *wanted + axes : *wanted;
  if (index < 0 || index >= axes)
    refuse(name, fmt::format("axis {}: shape {} has {} {}", *wanted, shape_text(header), axes,
                             axes == 1 ? "axis" : "axes"));
  const auto k = static_cast<std::size_t>(index);
  const std::uint64_t length = header.shape[k];
  if (!is_power_of_two(length)) refuse_length(name, header, fmt::format("axis {} has", k), length);
  ArrayAxis axis;
  axis.width = log2_exact(length);
  axis.shape.element_bytes = header.element_bytes;
  std::uint64_t before = 1;
  std::uint64_t after = 1;
  for (std::size_t j = 0; j < header.shape.size(); ++j) {
    if (j < k) before *= header.shape[j];
    if (j > k) after *= header.shape[j];
  }
  const bool fortran = header.order == NpyHeader::Order::fortran;
  axis.shape.outer = fortran ? after : before;
  axis.shape.inner = fortran ? before : after;
  axis.to_storage = BitMap::identity(axis.width);
  return axis;
}

BitMap stored_map(const ArrayAxis& axis, const BitMap& map) {
  return then(then(axis.to_storage.inverse(), map), axis.to_storage);
}

}  // namespace faro::inline v1
