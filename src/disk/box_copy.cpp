#include "disk/box_copy.hpp"

#include <algorithm>
#include <cstring>

namespace faro::inline v1::disk {
namespace {

// Below it a plan costs more than the copy.
constexpr std::uint64_t planned_bytes_min = 16384;

std::vector<CopyLoop> loops_of(const BoxCell& from, const BoxCell& to, const Box& box) {
  std::vector<CopyLoop> loops;
  for (std::size_t k = 0; k < box.size(); ++k)
    loops.push_back({box[k].length(), from.stride[k], to.stride[k]});
  return loops;
}

}  // namespace

std::uint64_t elements_of(const Box& box) {
  std::uint64_t count = 1;
  for (const Interval& axis : box) count *= axis.length();
  return count;
}

void fill_elements(std::span<std::byte> bytes, std::span<const std::byte> element) {
  if (bytes.empty()) return;
  std::memcpy(bytes.data(), element.data(), element.size());
  // What is filled is copied behind itself.
  for (std::size_t done = element.size(); done < bytes.size(); done *= 2)
    std::memcpy(bytes.data() + done, bytes.data(), std::min(done, bytes.size() - done));
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

BoxCopier::BoxCopier(std::uint64_t element_bytes) : copier_(element_bytes, planned_bytes_min) {}

void BoxCopier::copy(const BoxCell& from, const BoxCell& to, const Box& box) const {
  if (elements_of(box) == 0) return;
  copier_.copy(loops_of(from, to, box), from.at(box), to.at(box));
}

void BoxCopier::fill(const BoxCell& to, const Box& box, std::span<const std::byte> element) const {
  if (elements_of(box) == 0) return;
  // A cell of one element whose places are all the same.
  std::vector<std::byte> one(element.begin(), element.end());
  const BoxCell from{
      .base = one.data(), .where = box, .stride = std::vector<std::int64_t>(box.size(), 0)};
  copier_.copy(loops_of(from, to, box), one.data(), to.at(box));
}

}  // namespace faro::inline v1::disk
