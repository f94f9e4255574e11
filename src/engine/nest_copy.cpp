// The order of the loops, and the copies of each: runs, tiles, or a plan of the engine.
#include "engine/nest_copy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace faro::inline v1 {
namespace {

// Lines of both sides in a first cache of 32 KiB: 32 of each, whatever the element.
constexpr std::uint64_t tile_side = 32;
// Shapes of inner boxes and of those at an array's ends, for each pair of arrays.
constexpr std::size_t plans_kept_max = 64;

template <std::size_t Bytes>
void copy_row(const CopyLoop& loop, std::uint64_t count, const std::byte* from, std::byte* to) {
  for (std::uint64_t k = 0; k < count; ++k) {
    std::memcpy(to, from, Bytes);
    from += loop.from_stride;
    to += loop.to_stride;
  }
}

void copy_row_of(std::uint64_t bytes, const CopyLoop& loop, std::uint64_t count,
                 const std::byte* from, std::byte* to) {
  switch (bytes) {
    case 1:
      return copy_row<1>(loop, count, from, to);
    case 2:
      return copy_row<2>(loop, count, from, to);
    case 4:
      return copy_row<4>(loop, count, from, to);
    case 8:
      return copy_row<8>(loop, count, from, to);
    case 16:
      return copy_row<16>(loop, count, from, to);
    default:
      break;
  }
  for (std::uint64_t k = 0; k < count; ++k) {
    std::memcpy(to, from, bytes);
    from += loop.from_stride;
    to += loop.to_stride;
  }
}

std::ptrdiff_t offset(std::uint64_t k, std::int64_t stride) {
  return static_cast<std::ptrdiff_t>(k) * static_cast<std::ptrdiff_t>(stride);
}

// Slowest first by where it writes; what continues its neighbour joins it.
void put_in_order(std::vector<CopyLoop>& loops) {
  std::erase_if(loops, [](const CopyLoop& loop) { return loop.extent == 1; });
  std::stable_sort(loops.begin(), loops.end(), [](const CopyLoop& a, const CopyLoop& b) {
    return std::abs(a.to_stride) > std::abs(b.to_stride);
  });
  std::vector<CopyLoop> joined;
  for (const CopyLoop& loop : loops) {
    const auto extent = static_cast<std::int64_t>(loop.extent);
    if (!joined.empty() && joined.back().from_stride == loop.from_stride * extent &&
        joined.back().to_stride == loop.to_stride * extent) {
      joined.back() = {joined.back().extent * loop.extent, loop.from_stride, loop.to_stride};
    } else {
      joined.push_back(loop);
    }
  }
  loops.swap(joined);
}

void copy_tiles(const CopyLoop& outer, const CopyLoop& inner, std::uint64_t bytes,
                const std::byte* from, std::byte* to) {
  for (std::uint64_t i = 0; i < outer.extent; i += tile_side)
    for (std::uint64_t j = 0; j < inner.extent; j += tile_side) {
      const std::uint64_t rows = std::min(tile_side, outer.extent - i);
      const std::uint64_t columns = std::min(tile_side, inner.extent - j);
      for (std::uint64_t r = 0; r < rows; ++r)
        copy_row_of(bytes, inner, columns,
                    from + offset(i + r, outer.from_stride) + offset(j, inner.from_stride),
                    to + offset(i + r, outer.to_stride) + offset(j, inner.to_stride));
    }
}

// `bytes` of each element lie together on both sides; the loops are in order.
void copy_loops(std::vector<CopyLoop> loops, std::uint64_t bytes, const std::byte* from,
                std::byte* to) {
  if (loops.empty()) {
    std::memcpy(to, from, bytes);
    return;
  }
  const CopyLoop inner = loops.back();
  loops.pop_back();
  // What reads most closely goes beside what writes most closely.
  const auto nearest =
      std::min_element(loops.begin(), loops.end(), [](const CopyLoop& a, const CopyLoop& b) {
        return std::abs(a.from_stride) < std::abs(b.from_stride);
      });
  CopyLoop beside;
  if (nearest != loops.end()) {
    beside = *nearest;
    loops.erase(nearest);
  }
  const bool tiles = bytes <= 64 && std::abs(beside.from_stride) < std::abs(inner.from_stride);
  std::vector<std::uint64_t> at(loops.size());
  while (true) {
    if (tiles) {
      copy_tiles(beside, inner, bytes, from, to);
    } else {
      for (std::uint64_t i = 0; i < beside.extent; ++i)
        copy_row_of(bytes, inner, inner.extent, from + offset(i, beside.from_stride),
                    to + offset(i, beside.to_stride));
    }
    std::size_t k = loops.size();
    while (k > 0) {
      const CopyLoop& loop = loops[k - 1];
      from += loop.from_stride;
      to += loop.to_stride;
      if (++at[k - 1] < loop.extent) break;
      from -= offset(loop.extent, loop.from_stride);
      to -= offset(loop.extent, loop.to_stride);
      at[--k] = 0;
    }
    if (k == 0) return;
  }
}

}  // namespace

void NestCopier::copy(std::vector<CopyLoop> loops, const std::byte* from, std::byte* to) const {
  for (const CopyLoop& loop : loops)
    if (loop.extent == 0) return;
  put_in_order(loops);
  std::uint64_t bytes = element_;
  if (!loops.empty() && std::cmp_equal(loops.back().from_stride, bytes) &&
      std::cmp_equal(loops.back().to_stride, bytes)) {
    bytes *= loops.back().extent;
    loops.pop_back();
  } else if (!loops.empty() && by_plan(loops, from, to)) {
    return;
  }
  copy_loops(std::move(loops), bytes, from, to);
}

bool NestCopier::by_plan(const std::vector<CopyLoop>& loops, const std::byte* from,
                         std::byte* to) const {
  std::vector<std::int64_t> key;
  TensorShape shape{.element_bytes = element_, .from = {}, .to = {}};
  std::uint64_t elements = 1;
  std::int64_t from_low = 0;
  std::int64_t to_low = 0;
  std::int64_t from_span = 0;
  std::int64_t to_span = 0;
  for (const CopyLoop& loop : loops) {
    if (loop.from_stride == 0) return false;
    elements *= loop.extent;
    shape.from.shape.push_back(loop.extent);
    shape.to.shape.push_back(loop.extent);
    shape.from.strides.push_back(loop.from_stride);
    shape.to.strides.push_back(loop.to_stride);
    const auto steps = static_cast<std::int64_t>(loop.extent - 1);
    from_low += std::min<std::int64_t>(0, loop.from_stride * steps);
    to_low += std::min<std::int64_t>(0, loop.to_stride * steps);
    from_span += std::abs(loop.from_stride) * steps;
    to_span += std::abs(loop.to_stride) * steps;
    for (const std::int64_t number :
         {static_cast<std::int64_t>(loop.extent), loop.from_stride, loop.to_stride})
      key.push_back(number);
  }
  if (elements * element_ < planned_bytes_min_) return false;
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

}  // namespace faro::inline v1
