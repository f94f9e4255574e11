// Shape and strides of a view, in elements: where the element of a C-order index is stored.
//
//   (4,8):(1,4)             an array in Fortran order
//   (8,):(-1,) offset 7     reversed; without an offset the one that the negative strides need
//   (4,8):(8,64) itemsize 8     strides in bytes
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "layouts/systems.hpp"

namespace faro::inline v1::layouts {
namespace {

struct View {
  Shape shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

View read_view(Scanner& in) {
  View view;
  in.accept("shape=");
  view.shape = in.numbers("(", ")");
  if (!in.accept(":")) in.accept(",");
  in.accept("strides=");
  view.strides = in.integers("(", ")");
  if (view.shape.size() != view.strides.size()) in.fail("as many strides as axes are wanted");
  std::int64_t item = 1;
  std::optional<std::int64_t> offset;
  while (!in.done()) {
    in.accept(",");
    const bool is_offset = in.accept("offset");
    if (!is_offset) in.expect("itemsize");
    in.accept("=");
    const auto value = static_cast<std::int64_t>(in.number());
    if (is_offset) {
      offset = value;
    } else {
      if (value == 0) in.fail("an item of no bytes");
      item = value;
    }
  }
  const auto in_items = [&](std::int64_t bytes) {
    if (bytes % item != 0)
      in.refuse(LayoutFault::holes, fmt::format("{} bytes are no whole items of {}", bytes, item));
    return bytes / item;
  };
  // Of reversed axes the first element is the last stored.
  std::int64_t least = 0;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    view.strides[d] = in_items(view.strides[d]);
    if (view.strides[d] < 0 && view.shape[d] > 1)
      least += -view.strides[d] * static_cast<std::int64_t>(view.shape[d] - 1);
  }
  view.offset = offset ? in_items(*offset) : least;
  if (view.offset != least)
    in.refuse(LayoutFault::holes,
              fmt::format("the lowest element is stored at {}, not at 0", view.offset - least));
  return view;
}

}  // namespace

ForeignLayout read_strides(Scanner& in, const ForeignSizes&) {
  const View view = read_view(in);
  const std::vector<Forms> axes = axis_bits(view.shape, in);
  const int width = bits_of(view.shape);
  std::vector<std::optional<Form>> address(static_cast<std::size_t>(width));
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].empty()) continue;
    const auto step = static_cast<std::uint64_t>(std::abs(view.strides[d]));
    if (step == 0)
      in.refuse(LayoutFault::overlap,
                fmt::format("axis {} has stride 0: its elements are one (broadcast)", d));
    if (!is_power_of_two(step))
      in.refuse(LayoutFault::holes, fmt::format("axis {} has stride {}, no power of two: holes, or "
                                                "elements stored twice",
                                                d, step));
    const int low = log2_exact(step);
    const int count = static_cast<int>(axes[d].size());
    for (int b = 0; b < count; ++b) {
      Form form = axes[d][static_cast<std::size_t>(count - 1 - b)];
      form.inverted = view.strides[d] < 0;
      if (low + b >= width)
        in.refuse(LayoutFault::holes, fmt::format("axis {} reaches offset {} of {} elements: holes",
                                                  d, bit(low + b), bit(width)));
      auto& place = address[static_cast<std::size_t>(low + b)];
      if (place)
        in.refuse(LayoutFault::overlap,
                  fmt::format("axis {} meets another one at offset {}: elements are stored twice",
                              d, bit(low + b)));
      place = form;
    }
  }
  Forms destination;
  for (auto place = address.rbegin(); place != address.rend(); ++place)
    destination.push_back(**place);
  return plain(destination, view.shape, in);
}

}  // namespace faro::inline v1::layouts
