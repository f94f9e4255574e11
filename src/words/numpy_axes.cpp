#include "words/numpy_axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/count_format.hpp"

namespace faro::inline v1::words {

MovedAxes::MovedAxes(layouts::Scanner& in, const Shape& shape) : in_(in), axes_(axes_of(shape)) {}

Forms MovedAxes::digits() const {
  if (is_flat_) return flat_;
  Forms all;
  for (const Forms& axis : axes_) append(all, axis);
  return all;
}

Shape MovedAxes::shape() const {
  if (is_flat_) return sides_;
  Shape shape;
  for (const Forms& axis : axes_) shape.push_back(static_cast<Word>(size_of(axis)));
  return shape;
}

std::vector<Forms>& MovedAxes::axes() {
  if (!is_flat_) return axes_;
  auto cut = dealt(flat_, sides_);
  if (!cut)
    in_.fail_at(0,
                "axes that cut digits which were moved or rolled before; two calls, one after "
                "another, do it",
                NotationFault::impossible);
  axes_ = *std::move(cut);
  is_flat_ = false;
  return axes_;
}

void MovedAxes::reshaped(Forms digits, Shape sides) {
  flat_ = std::move(digits);
  sides_ = std::move(sides);
  is_flat_ = true;
}

MovedAxes::Axis MovedAxes::axis(std::int64_t index, std::size_t at) {
  const auto count = static_cast<std::int64_t>(axes().size());
  const std::int64_t counted = index < 0 ? index + count : index;
  if (counted < 0 || counted >= count)
    in_.fail_at(at, fmt::format("axis {} of an array with {}", index, count), NotationFault::range);
  return static_cast<Axis>(counted);
}

void MovedAxes::reorder(const std::vector<Axis>& order, std::size_t at) {
  std::vector<bool> taken(axes().size());
  for (const Axis a : order) {
    if (taken[a]) in_.fail_at(at, fmt::format("axis {} twice", a), NotationFault::range);
    taken[a] = true;
  }
  if (order.size() != axes().size())
    in_.fail_at(at, fmt::format("{} axes of an array with {}", order.size(), axes().size()),
                NotationFault::range);
  std::vector<Forms> result;
  for (const Axis a : order) result.push_back(axes()[a]);
  axes() = std::move(result);
}

Forms MovedAxes::rolled_by(const Forms& digits, Word by, Way way) const {
  auto result = rolled(digits, shift_on(digits, by, way));
  if (!result)
    in_.refuse(LayoutFault::adds,
               "this roll adds with carries over digits that are no neighbours any more");
  return *std::move(result);
}

Forms MovedAxes::rolled_by(const Forms& digits, std::int64_t by) const {
  const Word size = by < 0 ? Word{0} - static_cast<Word>(by) : static_cast<Word>(by);
  return rolled_by(digits, size, by < 0 ? Way::back : Way::forth);
}

void MovedAxes::reshape_to(const std::vector<std::int64_t>& sides, bool fortran, std::size_t at) {
  const Word elements = static_cast<Word>(size_of(digits()));
  Shape shape;
  Count known = 1;
  int missing = -1;
  for (const std::int64_t side : sides) {
    if (side == -1) {
      if (missing >= 0) in_.fail_at(at, "more than one -1");
      missing = static_cast<int>(shape.size());
      shape.push_back(1);
      continue;
    }
    if (side <= 0) in_.fail_at(at, fmt::format("a side of {}", side), NotationFault::range);
    shape.push_back(static_cast<Word>(side));
    if (known <= Count{elements}) known = known * shape.back();
  }
  if (Count{elements} % known != Count{0} || (missing < 0 && known != Count{elements}))
    in_.fail_at(at, fmt::format("{} elements in a shape of {}", elements, known),
                NotationFault::size);
  if (missing >= 0) shape[static_cast<std::size_t>(missing)] = elements / static_cast<Word>(known);
  if (!fortran) return reshaped(digits(), std::move(shape));
  std::reverse(axes().begin(), axes().end());
  std::reverse(shape.begin(), shape.end());
  reshaped(digits(), std::move(shape));
  std::reverse(axes().begin(), axes().end());
}

}  // namespace faro::inline v1::words
