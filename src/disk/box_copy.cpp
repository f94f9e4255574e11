#include "disk/box_copy.hpp"

#include <algorithm>
#include <cstring>

namespace faro::inline v1::disk {
namespace {

// Below it a plan costs more than the copy.
constexpr std::uint64_t planned_bytes_min = 16384;
// Shapes of inner boxes and of those at the array's ends, for each pair of units.
constexpr std::size_t plans_kept_max = 64;

template <std::size_t size>
void copy_line(const std::byte* from, std::byte* to, std::uint64_t count, std::int64_t from_stride,
               std::int64_t to_stride) {
  for (std::uint64_t i = 0; i < count; ++i, from += from_stride, to += to_stride)
    std::memcpy(to, from, size);
}

}  // namespace

std::uint64_t elements_of(const Box& box) {
  std::uint64_t count = 1;
  for (const Interval& axis : box) count *= axis.length();
  return count;
}

Box common_box(const Box& a, const Box& b) {
  Box box(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    box[k].begin = std::max(a[k].begin, b[k].begin);
    box[k].end = std::max(box[k].begin, std::min(a[k].end, b[k].end));
  }
  return box;
}

std::byte* BoxCell::at(const Box& place) const {
  std::byte* found = base;
  for (std::size_t k = 0; k < where.size(); ++k)
    found += static_cast<std::int64_t>(place[k].begin - where[k].begin) * stride[k];
  return found;
}

std::vector<std::int64_t> c_strides(std::span<const std::uint64_t> lengths, std::uint64_t element) {
  std::vector<std::int64_t> stride(lengths.size());
  auto next = static_cast<std::int64_t>(element);
  for (std::size_t k = lengths.size(); k-- > 0;) {
    stride[k] = next;
    next *= static_cast<std::int64_t>(lengths[k]);
  }
  return stride;
}

// The axes on which there is something to do, the one with the shortest steps at the destination
// last, neighbours that are one axis on both sides joined.
std::vector<BoxCopier::Axis> BoxCopier::axes_of(const BoxCell& from, const BoxCell& to,
                                                const Box& box) const {
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < box.size(); ++k)
    if (box[k].length() > 1) axes.push_back({box[k].length(), from.stride[k], to.stride[k]});
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return std::abs(a.to) > std::abs(b.to); });
  std::vector<Axis> joined;
  for (const Axis& axis : axes) {
    const auto count = static_cast<std::int64_t>(axis.count);
    if (!joined.empty() && joined.back().from == axis.from * count &&
        joined.back().to == axis.to * count)
      joined.back() = {joined.back().count * axis.count, axis.from, axis.to};
    else
      joined.push_back(axis);
  }
  return joined;
}

bool BoxCopier::by_plan(const std::vector<Axis>& axes, const std::byte* from, std::byte* to) {
  std::vector<std::int64_t> key;
  TensorShape shape{.element_bytes = element_, .from = {}, .to = {}};
  std::uint64_t elements = 1;
  std::int64_t from_low = 0;
  std::int64_t to_low = 0;
  std::int64_t from_span = 0;
  std::int64_t to_span = 0;
  for (const Axis& axis : axes) {
    elements *= axis.count;
    shape.from.shape.push_back(axis.count);
    shape.to.shape.push_back(axis.count);
    shape.from.strides.push_back(axis.from);
    shape.to.strides.push_back(axis.to);
    const auto steps = static_cast<std::int64_t>(axis.count - 1);
    from_low += std::min<std::int64_t>(0, axis.from * steps);
    to_low += std::min<std::int64_t>(0, axis.to * steps);
    from_span += std::abs(axis.from) * steps;
    to_span += std::abs(axis.to) * steps;
    for (const std::int64_t number : {static_cast<std::int64_t>(axis.count), axis.from, axis.to})
      key.push_back(number);
  }
  if (elements * element_ < planned_bytes_min) return false;
  shape.from.offset = static_cast<std::uint64_t>(-from_low);
  shape.to.offset = static_cast<std::uint64_t>(-to_low);
  std::shared_ptr<const PermutePlan> plan;
  {
    const std::lock_guard lock(mutex_);
    const auto found = plans_.find(key);
    if (found != plans_.end()) {
      plan = found->second;
    } else {
      if (plans_.size() >= plans_kept_max) plans_.clear();
      plan = std::make_shared<const PermutePlan>(
          PermutePlan::out_of_place(Map::identity(elements), shape));
      plans_[key] = plan;
    }
  }
  plan->execute({from + from_low, static_cast<std::size_t>(from_span) + element_},
                {to + to_low, static_cast<std::size_t>(to_span) + element_});
  return true;
}

void BoxCopier::copy(const BoxCell& from, const BoxCell& to, const Box& box) {
  if (elements_of(box) == 0) return;
  std::vector<Axis> axes = axes_of(from, to, box);
  const std::byte* source = from.at(box);
  std::byte* destination = to.at(box);
  const auto element = static_cast<std::int64_t>(element_);
  const bool runs = axes.empty() || (axes.back().from == element && axes.back().to == element);
  if (!runs && by_plan(axes, source, destination)) return;
  const Axis line = axes.empty() ? Axis{1, element, element} : axes.back();
  if (!axes.empty()) axes.pop_back();
  std::vector<std::uint64_t> at(axes.size(), 0);
  for (;;) {
    if (runs) {
      std::memcpy(destination, source, line.count * element_);
    } else if (element_ == 1) {
      copy_line<1>(source, destination, line.count, line.from, line.to);
    } else if (element_ == 2) {
      copy_line<2>(source, destination, line.count, line.from, line.to);
    } else if (element_ == 4) {
      copy_line<4>(source, destination, line.count, line.from, line.to);
    } else if (element_ == 8) {
      copy_line<8>(source, destination, line.count, line.from, line.to);
    } else {
      for (std::uint64_t i = 0; i < line.count; ++i)
        std::memcpy(destination + (static_cast<std::int64_t>(i) * line.to),
                    source + (static_cast<std::int64_t>(i) * line.from), element_);
    }
    std::size_t k = axes.size();
    for (; k > 0; --k) {
      const Axis& axis = axes[k - 1];
      source += axis.from;
      destination += axis.to;
      if (++at[k - 1] != axis.count) break;
      source -= axis.from * static_cast<std::int64_t>(axis.count);
      destination -= axis.to * static_cast<std::int64_t>(axis.count);
      at[k - 1] = 0;
    }
    if (k == 0) return;
  }
}

void BoxCopier::fill(const BoxCell& to, const Box& box, std::span<const std::byte> element) const {
  if (elements_of(box) == 0) return;
  // A cell of one element whose places are all the same.
  std::vector<std::byte> one(element.begin(), element.end());
  const BoxCell from{
      .base = one.data(), .where = box, .stride = std::vector<std::int64_t>(box.size(), 0)};
  std::vector<Axis> axes = axes_of(from, to, box);
  std::vector<std::uint64_t> at(axes.size(), 0);
  std::byte* destination = to.at(box);
  for (;;) {
    std::memcpy(destination, one.data(), element_);
    std::size_t k = axes.size();
    for (; k > 0; --k) {
      destination += axes[k - 1].to;
      if (++at[k - 1] != axes[k - 1].count) break;
      destination -= axes[k - 1].to * static_cast<std::int64_t>(axes[k - 1].count);
      at[k - 1] = 0;
    }
    if (k == 0) return;
  }
}

}  // namespace faro::inline v1::disk
