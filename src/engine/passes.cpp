#include "passes.hpp"

#include <omp.h>

#include <algorithm>

#include "faro/base/check.hpp"

namespace faro::engine {
namespace {

constexpr int line_log2 = 6;

}  // namespace

Method choose_method(const BitMap& map, const BitMatrix& inverse, int unit_log2,
                     const KernelSet& kernels, std::uint64_t data_bytes, Stores stores) {
  (void)kernels;
  const int w = map.width();
  Method method;
  const int line = line_log2 - unit_log2;
  method.from_run_bits = line;
  method.to_run_bits = line;
  const int tile_max = 13 - unit_log2;
  for (;;) {
    int& smaller =
        method.from_run_bits < method.to_run_bits ? method.from_run_bits : method.to_run_bits;
    if (smaller == w) break;
    ++smaller;
    if (tile_dimension(inverse, method.from_run_bits, method.to_run_bits) > tile_max) {
      --smaller;
      break;
    }
  }
  method.streaming = stores == Stores::streaming ||
                     (stores == Stores::automatic && data_bytes >= (std::uint64_t{8} << 20U));
  method.stage_to = method.streaming;
  method.copy_in = method.streaming;
  return method;
}

Section tile_section(const BitMap& map, int unit_log2, const KernelSet& kernels,
                     const Method& method) {
  Section section;
  section.map = map;
  section.unit_bytes = bit(unit_log2);
  section.bytes = bit(map.width() + unit_log2);
  const int lane_bits = kernels.vector_log2 - unit_log2;
  section.pass.plan = tile_plan(map, map.inverse().matrix(), unit_log2, lane_bits, method);
  TilePlan& plan = section.pass.plan;
  if (kernels.moves == LaneMoves::two_tables) {
    section.pass.tables = two_table_lanes(plan.network, unit_log2);
  } else {
    Word shifted = plan.to_start >> unit_log2;
    for (int i = 0; i < plan.outer_bits; ++i) {
      shifted |= plan.outer_to[static_cast<std::size_t>(i)] >> unit_log2;
    }
    for (const TilePlan::Kernel& k : plan.kernels) shifted |= k.shift;
    const bool some = (shifted & low_mask(lane_bits)) != 0;
    section.pass.tables =
        exchange_lanes(plan.network, unit_log2, some ? Shifts::some : Shifts::none);
  }
  return section;
}

Passes plan_passes(const BitMap& map, const PermuteShape& shape, const PermuteOptions& options) {
  Passes passes;
  passes.kernels = &kernel_set(options.simd);
  const std::uint64_t block = shape.inner * shape.element_bytes;
  const std::uint64_t data_bytes = (block * shape.outer) << map.width();
  const int wanted = options.threads == 0 ? omp_get_max_threads() : options.threads;
  passes.threads = data_bytes < (std::uint64_t{1} << 20U) ? 1 : wanted;
  if (data_bytes == 0) return passes;

  if (!is_power_of_two(block)) {
    Section section;
    section.path = Path::elements;
    section.repeat = shape.outer;
    section.map = map;
    section.unit_bytes = block;
    section.bytes = block << map.width();
    passes.sections.push_back(std::move(section));
    return passes;
  }
  const int block_log2 = log2_exact(block);
  const int unit_log2 = std::min(block_log2, 3);
  const BitMap units = beside(map, BitMap::identity(block_log2 - unit_log2));
  const int units_log2 = units.width() + unit_log2;

  // Groups of 2^group arrays at a time.
  constexpr int group_bytes_log2 = 16;
  const bool whole = is_power_of_two(shape.outer);
  const int group = whole ? log2_exact(shape.outer) : std::max(0, group_bytes_log2 - units_log2);
  std::uint64_t offset = 0;
  const auto add = [&](int widen, std::uint64_t repeat) {
    if (repeat == 0) return;
    const BitMap wide = beside(BitMap::identity(widen), units);
    Section section;
    if (wide.width() + unit_log2 < line_log2) {
      section.path = Path::obvious;
      section.map = wide;
      section.unit_bytes = bit(unit_log2);
      section.bytes = bit(wide.width() + unit_log2);
    } else {
      const Method method = choose_method(wide, wide.inverse().matrix(), unit_log2, *passes.kernels,
                                          data_bytes, options.stores);
      section = tile_section(wide, unit_log2, *passes.kernels, method);
    }
    section.offset = offset;
    section.repeat = repeat;
    offset += repeat * section.bytes;
    passes.sections.push_back(std::move(section));
  };
  add(group, shape.outer >> group);
  for (int i = group - 1; i >= 0; --i) add(i, (shape.outer >> i) & 1U);
  FARO_CHECK(offset == data_bytes);
  return passes;
}

}  // namespace faro::engine
