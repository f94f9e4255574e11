#include "engine/passes.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/cores.hpp"
#include "engine/tuning.hpp"

namespace faro::inline v1::engine {
namespace {

// Small arrays of a batch are moved in groups of about this size.
constexpr int group_bytes_log2 = 16;

TilePass tile_pass(const BitMap& map, const BitMatrix& inverse, int unit_log2,
                   const KernelSet& kernels, const Method& method, Place place) {
  TilePass pass;
  pass.plan = tile_plan(map, inverse, unit_log2, kernels.vector_log2 - unit_log2, method);
  if (place == Place::same) add_partners(pass.plan, inverse);
  pass.tables = tables_for(pass.plan, kernels);
  return pass;
}

Section with_inverse(const MethodQuestion& question, const Choice& choice, const Method& off_grid,
                     Place place) {
  const auto& [map, inverse, unit_log2, kernels, data_bytes, stores, machine] = question;
  Section section;
  section.map = map;
  section.unit_bytes = bit(unit_log2);
  section.bytes = bit(map.width() + unit_log2);
  section.reason = choice.reason;
  section.pass = tile_pass(map, inverse, unit_log2, kernels, choice.method, place);
  if (choice.method.streaming && off_grid != choice.method) {
    section.off_grid = tile_pass(map, inverse, unit_log2, kernels, off_grid, place);
  }
  return section;
}

// How many low index bits the map leaves alone: elements that differ in those only move together,
// in blocks of up to a page, small enough to share among threads.
int still_low_bits(const BitMap& map, std::uint64_t element_bytes) {
  constexpr std::uint64_t block_bytes_max = 4096;
  Word moved = map.complement();
  for (int i = 0; i < map.width(); ++i) moved |= map.column(i) & ~bit(i);
  int still = 0;
  while (still < map.width() && element_bytes << (still + 1) <= block_bytes_max &&
         !has_bit(moved, still) && map.column(still) == bit(still)) {
    ++still;
  }
  return still;
}

BitMap without_low_bits(const BitMap& map, int count) {
  const int width = map.width() - count;
  BitMatrix matrix(width, width);
  for (int i = 0; i < width; ++i) matrix.set_column(i, map.column(i + count) >> count);
  return BitMap::from_matrix(matrix, map.complement() >> count);
}

}  // namespace

LaneTables tables_for(const TilePlan& plan, const KernelSet& kernels) {
  if (kernels.moves == LaneMoves::two_tables) {
    return two_table_lanes(plan.network, plan.unit_log2);
  }
  Word shifted = plan.to_start >> plan.unit_log2;
  for (int i = 0; i < plan.outer_bits; ++i) {
    shifted |= plan.outer_to[static_cast<std::size_t>(i)] >> plan.unit_log2;
  }
  for (const TilePlan::Kernel& k : plan.kernels) shifted |= k.shift;
  const bool some = (shifted & low_mask(plan.network.lane_bits)) != 0;
  return exchange_lanes(plan.network, plan.unit_log2, some ? Shifts::some : Shifts::none);
}

namespace {

// Element by element.
Section element_section(const BitMap& map, std::uint64_t unit_bytes, Place place) {
  Section section;
  section.path = Path::elements;
  section.map = map;
  section.unit_bytes = unit_bytes;
  section.bytes = unit_bytes << map.width();
  section.pass.plan = element_plan(map, unit_bytes, place);
  return section;
}

// The method that is best, or another one to measure; nothing beyond the last.
std::optional<Choice> candidate_of(const MethodQuestion& question, Place place,
                                   std::size_t candidate) {
  const bool same = place == Place::same;
  if (candidate == 0) return same ? choose_in_place(question) : choose_method(question);
  const auto all = same ? in_place_candidates(question) : method_candidates(question);
  if (candidate < all.size()) return all[candidate];
  return std::nullopt;
}

}  // namespace

int threads_for(std::uint64_t data_bytes, const PermuteOptions& options) {
  const int wanted = options.threads == 0 ? default_threads() : options.threads;
  const std::uint64_t useful = std::max<std::uint64_t>(1, data_bytes / thread_bytes_min);
  const auto threads = static_cast<int>(std::min(useful, static_cast<std::uint64_t>(wanted)));
  // More than the cores wait for one another, and each has a stage of its own in the same caches.
  return threads == 1 ? 1 : std::min(threads, cores_available());
}

std::optional<Pass> plan_pass(const BitMap& map, const PermuteShape& shape,
                              const PermuteOptions& options, Place place, std::size_t candidate) {
  return plan_pass(map, shape, options, place, candidate, tuning());
}

std::optional<Pass> plan_pass(const BitMap& map, const PermuteShape& shape,
                              const PermuteOptions& options, Place place, std::size_t candidate,
                              const MachineTuning& machine) {
  Pass pass;
  pass.kernels = &kernel_set(options.simd);
  pass.place = place;
  const std::uint64_t block = shape.inner * shape.element_bytes;
  const std::uint64_t data_bytes = (block * shape.outer) << map.width();
  pass.threads = threads_for(data_bytes, options);
  if (data_bytes == 0) return candidate == 0 ? std::optional(std::move(pass)) : std::nullopt;

  const auto add_elements = [&](const BitMap& wide, std::uint64_t unit_bytes, std::uint64_t offset,
                                std::uint64_t repeat) {
    pass.sections.push_back(element_section(wide, unit_bytes, place));
    pass.sections.back().offset = offset;
    pass.sections.back().repeat = repeat;
    pass.sections.back().reason = is_power_of_two(block) ? "less than a cache line of data"
                                                         : "the element's size is no power of two";
  };
  if (!is_power_of_two(block)) {
    if (candidate != 0) return std::nullopt;
    const int still = still_low_bits(map, block);
    add_elements(without_low_bits(map, still), block << still, 0, shape.outer);
    return pass;
  }
  const int block_log2 = log2_exact(block);
  const int unit_log2 = std::min(block_log2, 3);
  const BitMap units = beside(map, BitMap::identity(block_log2 - unit_log2));
  const int units_log2 = units.width() + unit_log2;

  const bool whole = is_power_of_two(shape.outer);
  const int group = whole ? log2_exact(shape.outer) : std::max(0, group_bytes_log2 - units_log2);
  std::uint64_t offset = 0;
  bool exhausted = false;
  const auto add = [&](int widen, std::uint64_t repeat) {
    if (repeat == 0) return;
    const BitMap wide = beside(BitMap::identity(widen), units);
    const std::uint64_t bytes = bit(wide.width() + unit_log2);
    if (bytes < bit(line_log2)) {
      add_elements(wide, bit(unit_log2), offset, repeat);
    } else {
      const BitMatrix inverse = wide.inverse().matrix();
      const MethodQuestion question{.map = wide,
                                    .inverse = inverse,
                                    .unit_log2 = unit_log2,
                                    .kernels = *pass.kernels,
                                    .data_bytes = data_bytes,
                                    .stores = options.stores,
                                    .machine = machine};
      const std::optional<Choice> choice = candidate_of(question, place, candidate);
      if (!choice) {
        exhausted = true;
        return;
      }
      Method off_grid = choice->method;
      off_grid.stage_to = true;
      if (place == Place::apart && candidate == 0) off_grid = off_grid_method(question);
      Section section = with_inverse(question, *choice, off_grid, place);
      section.offset = offset;
      section.repeat = repeat;
      pass.sections.push_back(std::move(section));
    }
    offset += repeat * bytes;
  };
  add(group, shape.outer >> group);
  for (int i = group - 1; i >= 0; --i) add(i, (shape.outer >> i) & 1U);
  if (exhausted) return std::nullopt;
  FARO_CHECK(offset == data_bytes);
  return pass;
}

}  // namespace faro::inline v1::engine
