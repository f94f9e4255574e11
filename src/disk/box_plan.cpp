#include "disk/box_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "base/count_format.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

// Between passes what is gathered is written in pieces of so many bytes.
constexpr std::uint64_t between_bytes_max = std::uint64_t{4} << 20U;
// A unit of more than this part of the memory goes through one thread.
constexpr std::uint64_t large_unit_part = 32;
constexpr std::uint64_t index_entry_bytes = 16;

Count product_of(const std::vector<std::uint64_t>& lengths) {
  Count product = 1;
  for (const std::uint64_t n : lengths) product *= n;
  return product;
}

std::uint64_t saturated(Count count) {
  return count.high() != 0 ? UINT64_MAX : count.low();
}

void check_grid(const StoredGrid& grid, const char* side) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::usage, fmt::format("{}: {}", side, what));
  };
  const std::size_t axes = grid.shape.size();
  if (grid.chunks.size() != axes || (!grid.shards.empty() && grid.shards.size() != axes))
    refuse(fmt::format("an array of {} axes in chunks of {} and shards of {}", axes,
                       grid.chunks.size(), grid.shards.size()));
  if (grid.element_bytes == 0) refuse("elements of no bytes");
  for (std::size_t k = 0; k < axes; ++k) {
    if (grid.shape[k] == 0) refuse(fmt::format("axis {} has the length 0: nothing to plan", k));
    if (grid.chunks[k] == 0) refuse(fmt::format("chunks of 0 on axis {}", k));
    if (!grid.shards.empty() && (grid.shards[k] == 0 || grid.shards[k] % grid.chunks[k] != 0))
      refuse(fmt::format("shards of {} on axis {} are no multiple of chunks of {}", grid.shards[k],
                         k, grid.chunks[k]));
  }
  if ((product_of(grid.shape) * grid.element_bytes).high() != 0 ||
      (product_of(grid.chunks) * grid.element_bytes) > (Count{1} << 62U))
    throw Error(ErrorCode::limit, fmt::format("{}: more than 2^62 bytes", side));
}

void check_order(const std::vector<std::size_t>& order, std::size_t axes) {
  std::vector<bool> seen(axes, false);
  for (const std::size_t a : order) {
    if (a >= axes || seen[a])
      throw Error(ErrorCode::usage, fmt::format("axes {}: each of 0 to {} once is wanted",
                                                fmt::join(order, ","), axes - 1));
    seen[a] = true;
  }
  if (!order.empty() && order.size() != axes)
    throw Error(ErrorCode::usage, fmt::format("an order of {} axes is wanted", axes));
}

void check_problem(const BoxProblem& problem) {
  check_grid(problem.from, "the input");
  check_grid(problem.to, "the output");
  const std::size_t axes = problem.from.shape.size();
  if (problem.to.shape.size() != axes || problem.from.element_bytes != problem.to.element_bytes)
    throw Error(ErrorCode::usage, "input and output have the same axes and elements");
  check_order(problem.axes, axes);
  check_order(problem.from.order, axes);
  check_order(problem.to.order, axes);
  if (!problem.reversed.empty() && problem.reversed.size() != axes)
    throw Error(ErrorCode::usage, fmt::format("an order of {} axes is wanted", axes));
  for (std::size_t k = 0; k < axes; ++k) {
    const std::size_t from = problem.axes.empty() ? k : problem.axes[k];
    if (problem.to.shape[k] != problem.from.shape[from])
      throw Error(ErrorCode::usage,
                  fmt::format("axis {} of the output has {} elements, axis {} of the input {}", k,
                              problem.to.shape[k], from, problem.from.shape[from]));
  }
  if (problem.threads < 1 || problem.passes < 0 || problem.passes > 3)
    throw Error(ErrorCode::usage, "plans have 1 to 3 passes and at least one thread");
}

std::uint64_t unit_bytes(const StoredGrid& grid) {
  return static_cast<std::uint64_t>(product_of(grid.chunks) * grid.element_bytes);
}

int threads_for(const BoxProblem& problem, std::uint64_t unit) {
  return unit <= problem.memory_bytes / large_unit_part ? problem.threads : 1;
}

std::uint64_t between_bytes(const BoxProblem& problem) {
  return std::max(problem.to.element_bytes, std::min(between_bytes_max, problem.memory_bytes / 64));
}

// Elements that a tile takes in memory on one axis.
std::uint64_t held_on_axis(const AxisGrid& units, std::uint64_t nominal, const AxisGrid& tile) {
  return most_met(units, tile).blocks * nominal;
}

}  // namespace

BoxGrids BoxGrids::of(const BoxProblem& problem) {
  BoxGrids grids;
  const std::size_t axes = problem.to.shape.size();
  grids.order_to = problem.to.order;
  if (grids.order_to.empty()) {
    grids.order_to.resize(axes);
    std::iota(grids.order_to.begin(), grids.order_to.end(), std::size_t{0});
  }
  std::vector<std::size_t> place(axes);  // of the input's axes, as they are stored
  std::iota(place.begin(), place.end(), std::size_t{0});
  for (std::size_t i = 0; i < problem.from.order.size(); ++i) place[problem.from.order[i]] = i;
  grids.order_from.resize(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t k = grids.order_to[i];
    const std::uint64_t n = problem.to.shape[k];
    const std::size_t a = problem.axes.empty() ? k : problem.axes[k];
    const bool reversed = !problem.reversed.empty() && problem.reversed[k];
    grids.shape.push_back(n);
    grids.reversed.push_back(reversed);
    grids.axes.push_back(place[a]);
    grids.order_from[place[a]] = i;
    const auto& shards_from =
        problem.from.shards.empty() ? problem.from.chunks : problem.from.shards;
    const auto& shards_to = problem.to.shards.empty() ? problem.to.chunks : problem.to.shards;
    grids.units_from.push_back(AxisGrid::regular(n, problem.from.chunks[a], reversed));
    grids.files_from.push_back(AxisGrid::regular(n, shards_from[a], reversed));
    grids.units_to.push_back(AxisGrid::regular(n, problem.to.chunks[k]));
    grids.files_to.push_back(AxisGrid::regular(n, shards_to[k]));
    grids.nominal_from.push_back(problem.from.chunks[a]);
    grids.nominal_to.push_back(problem.to.chunks[k]);
  }
  return grids;
}

std::uint64_t BoxFacts::peak_bytes() const {
  std::uint64_t peak = 0;
  for (const BoxPass& pass : passes) peak = std::max(peak, pass.peak_bytes);
  return peak;
}

// A box of `extent` indices, each `inner` bytes, of the axis `order[at]`; axes after it are whole.
namespace {
Count requests_of(std::uint64_t extent, std::uint64_t inner, std::size_t at,
                  const std::vector<AxisGrid>& tile, const std::vector<std::size_t>& order) {
  if (extent <= run_piece_bytes / std::max<std::uint64_t>(inner, 1)) return 1;
  if (inner <= run_piece_bytes) return ceil_div(extent, run_piece_bytes / inner);
  if (at + 1 == order.size()) return Count{extent};  // an element is read at once
  const std::uint64_t n = tile[order[at + 1]].length();
  return Count{extent} * requests_of(n, inner / n, at + 1, tile, order);
}
}  // namespace

Count run_requests(const std::vector<AxisGrid>& tile, const std::vector<std::size_t>& order,
                   std::uint64_t element_bytes) {
  if (order.empty()) return 1;
  std::size_t at = order.size() - 1;
  std::uint64_t inner = element_bytes;
  while (at > 0 && tile[order[at]].count() == 1) inner *= tile[order[at--]].length();
  Count outer = 1;
  for (std::size_t k = 0; k < at; ++k) outer *= tile[order[k]].length();
  const AxisGrid& cut = tile[order[at]];
  const auto of = [&](std::uint64_t i) {
    return requests_of(cut.block(i).length(), inner, at, tile, order);
  };
  const std::uint64_t count = cut.count();
  Count requests;
  if (cut.is_listed()) {
    for (std::uint64_t i = 0; i < count; ++i) requests += of(i);
  } else {
    requests = of(0);
    if (count > 1) requests += of(count - 1);
    if (count > 2) requests += of(1) * (count - 2);
  }
  return outer * requests;
}

namespace {

// What the axes say of a pass.
struct Measured {
  Count held;   // bytes of a tile
  Count units;  // read
  Count covered;
  Count kept;
  Count open_files = 1;
  bool sub_shard = false;
  bool cuts_units = false;
};

Measured measured(const BoxProblem& problem, const BoxGrids& grids,
                  const std::vector<BoxPass>& passes, std::size_t which) {
  const BoxPass& pass = passes[which];
  const bool units_from = which == 0 && problem.from.encoding != StoredGrid::Encoding::run;
  const bool units_to =
      which + 1 == passes.size() && problem.to.encoding != StoredGrid::Encoding::run;
  const std::uint64_t element = problem.to.element_bytes;
  Measured m{.held = element, .units = 1, .covered = element, .kept = unit_bytes(problem.from)};
  for (std::size_t k = 0; k < grids.shape.size(); ++k) {
    const AxisGrid& tile = pass.tile[k];
    if (pass.order == TileOrder::read && units_from)
      m.held *= held_on_axis(grids.units_from[k], grids.nominal_from[k], tile);
    else if (pass.order == TileOrder::write && units_to)
      m.held *= held_on_axis(grids.units_to[k], grids.nominal_to[k], tile);
    else
      m.held *= tile.step();
    if (units_from) {
      const AxisGrid& unit = grids.units_from[k];
      const bool walked = pass.walked == k;
      m.cuts_units = m.cuts_units || !is_nested(unit, tile);
      m.units *= walked ? unit.count() : meets(unit, tile);
      m.covered *= walked ? unit.length() : cover(unit, tile);
      if (!walked) m.kept *= most_met(unit, tile).blocks;
    } else if (which != 0) {
      m.units *= meets(passes[which - 1].tile[k], tile);
    }
    if (!units_to) continue;
    const bool within = tile.step() < grids.files_to[k].step();
    m.sub_shard = m.sub_shard || within;
    m.open_files *= within ? 1 : most_met(grids.files_to[k], tile).blocks;
  }
  return m;
}

void set_requests(const BoxProblem& problem, const BoxGrids& grids, const Measured& m, bool first,
                  bool last, BoxPass& pass) {
  const bool plain_from = problem.from.encoding == StoredGrid::Encoding::run;
  const bool plain_to = problem.to.encoding == StoredGrid::Encoding::run;
  const std::uint64_t element = problem.to.element_bytes;
  const std::size_t axes = grids.shape.size();
  pass.tiles = pass.jobs = 1;
  for (std::size_t k = 0; k < axes; ++k) {
    const AxisGrid& tile = pass.tile[k];
    pass.tiles *= tile.count();
    if (pass.walked == k) continue;
    const std::uint64_t step = std::max(tile.step(), grids.files_to[k].step());
    pass.jobs *= last && !plain_to ? AxisGrid::regular(grids.shape[k], step).count() : tile.count();
  }
  const Count data = product_of(grids.shape) * element;
  pass.reads = first && plain_from ? run_requests(pass.tile, grids.order_from, element) : m.units;
  pass.bytes_read = first && !plain_from ? m.covered : data;
  pass.bytes_written = data;
  pass.writes = pass.tiles;
  if (last && plain_to) {
    std::vector<std::size_t> as_they_are(axes);
    std::iota(as_they_are.begin(), as_they_are.end(), std::size_t{0});
    pass.writes = run_requests(pass.tile, as_they_are, element);
  } else if (last) {
    pass.writes = 1;
    for (const AxisGrid& files : grids.files_to) pass.writes *= files.count();
  }
}

void set_buffers(const BoxProblem& problem, const Measured& m, bool first, bool last,
                 BoxPass& pass) {
  const bool plain_from = problem.from.encoding == StoredGrid::Encoding::run;
  const bool plain_to = problem.to.encoding == StoredGrid::Encoding::run;
  const std::uint64_t element = problem.to.element_bytes;
  pass.readers = pass.writers = 1;
  pass.read_buffer_bytes = pass.write_buffer_bytes = pass.index_bytes = 0;
  const bool by_units = pass.order == TileOrder::write;
  if (first && !plain_from) {
    const std::uint64_t unit = by_units ? unit_bytes(problem.from) : 0;
    pass.read_buffer_bytes = unit + problem.from.reading_bytes;
    pass.readers = threads_for(problem, pass.read_buffer_bytes);
  } else if (by_units) {
    pass.read_buffer_bytes = first ? std::max(element, run_piece_bytes) : between_bytes(problem);
  }
  if (last && !plain_to) {
    const std::uint64_t unit = by_units ? 0 : unit_bytes(problem.to);
    pass.write_buffer_bytes = unit + problem.to.writing_bytes;
    pass.writers = threads_for(problem, pass.write_buffer_bytes);
    if (problem.to.shards.empty()) return;
    const Count index =
        product_of(problem.to.shards) / product_of(problem.to.chunks) * index_entry_bytes;
    const Count writers = static_cast<std::uint64_t>(pass.writers);
    const Count files = m.sub_shard ? m.open_files : std::min(m.open_files, writers);
    pass.index_bytes = saturated(index * files);
  } else if (!by_units) {
    pass.write_buffer_bytes = last ? std::max(element, run_piece_bytes) : between_bytes(problem);
  }
}

}  // namespace

// The account of memory is what PassAtWork holds (box_pass.cpp): tiles, buffers of the side that
// does not lie in the tile, what the store holds besides, kept units, indices of open files.
bool complete_pass(const BoxProblem& problem, const BoxGrids& grids, int copies,
                   std::vector<BoxPass>& passes, std::size_t which) {
  BoxPass& pass = passes[which];
  const bool first = which == 0;
  const bool last = which + 1 == passes.size();
  const Measured m = measured(problem, grids, passes, which);
  if (pass.order == TileOrder::read && m.cuts_units) return false;
  set_requests(problem, grids, m, first, last, pass);
  set_buffers(problem, m, first, last, pass);
  pass.tile_bytes = saturated(m.held);
  const bool keeps =
      pass.walked && !is_nested(grids.units_from[*pass.walked], pass.tile[*pass.walked]);
  pass.kept_bytes = keeps ? saturated(m.kept) : 0;
  const Count peak = Count{problem.fixed_bytes} + m.held * copies + pass.kept_bytes +
                     pass.index_bytes + Count{pass.read_buffer_bytes} * pass.readers +
                     Count{pass.write_buffer_bytes} * pass.writers;
  pass.peak_bytes = saturated(peak);
  return peak <= problem.memory_bytes;
}

BoxBound box_bound(const BoxProblem& problem, const BoxGrids& grids) {
  BoxBound bound;
  const bool plain_from = problem.from.encoding == StoredGrid::Encoding::run;
  const bool plain_to = problem.to.encoding == StoredGrid::Encoding::run;
  Count component = problem.to.element_bytes;
  Count elements = 1;
  for (std::size_t k = 0; k < grids.shape.size(); ++k) {
    elements *= grids.shape[k];
    const AxisGrid one = AxisGrid::regular(grids.shape[k], 1);
    const AxisGrid& p = plain_from ? one : grids.units_from[k];
    const AxisGrid& q = plain_to ? one : grids.units_to[k];
    bound.held_log2 += mean_log(p) + mean_log(q) - mean_log(p, q);
    component *= longest_component(p, q);
  }
  bound.component_bytes = saturated(component);
  bound.memory_log2 = std::log2(static_cast<double>(problem.memory_bytes) /
                                static_cast<double>(problem.to.element_bytes));
  const double over = bound.held_log2 - bound.memory_log2;
  bound.reading_again = over > 0 ? std::exp2(over) : 1;
  bound.pieces =
      static_cast<double>(elements) * std::exp2(bound.held_log2 - (2 * bound.memory_log2));
  bound.pieces = std::max(bound.pieces, 1.0);
  if (component <= problem.memory_bytes) {
    bound.reason = "one pass is the least there is";
  } else if (over > 1e-9) {
    bound.passes =
        std::max(2, static_cast<int>(std::ceil((bound.held_log2 / bound.memory_log2) - 1e-9)));
    bound.reason =
        fmt::format("theorem 1: one pass that reads nothing twice holds {} bytes in the mean",
                    static_cast<std::uint64_t>(std::exp2(std::min(bound.held_log2, 62.0))) *
                        problem.to.element_bytes);
  } else {
    bound.passes = 2;
    bound.reason = fmt::format(
        "theorem 2: units that meet hang together in boxes of {} bytes, which one pass that reads "
        "nothing twice holds",
        bound.component_bytes);
  }
  return bound;
}

namespace {

// A tile more in memory is worth that a plan takes a tenth longer by its price: it hides the time
// of the side that is shorter.
bool better_overlapped(const std::optional<BoxFound>& two, const BoxFound& one) {
  return two && two->seconds <= one.seconds * 1.1;
}

std::optional<BoxFound> find_plan(const BoxProblem& problem, const BoxGrids& grids, int copies) {
  std::optional<BoxFound> best;
  for (int k = 1; k <= 3; ++k) {
    if (problem.passes != 0 && problem.passes != k) continue;
    if (best && least_seconds(problem, grids, k) >= best->seconds) continue;
    auto found =
        k == 1 ? find_one_pass(problem, grids, copies) : find_passes(problem, grids, copies, k);
    if (found && (!best || found->seconds < best->seconds)) best = std::move(found);
  }
  return best;
}

// What a refusal says of one side.
std::string whole_words(const StoredGrid& grid, const char* done) {
  if (grid.encoding == StoredGrid::Encoding::run)
    return fmt::format("runs of at most {} bytes are {}", run_piece_bytes, done);
  return fmt::format("units of {} bytes are {} whole", unit_bytes(grid), done);
}

// The least memory that has a plan, within a thirtieth.
std::uint64_t least_memory(BoxProblem problem, const BoxGrids& grids) {
  const auto does = [&](std::uint64_t memory) {
    problem.memory_bytes = memory;
    for (int k = 1; k <= 3; ++k) {
      // Three are never planned with less than two, unless they are asked for.
      if (problem.passes != k && (problem.passes != 0 || k == 3)) continue;
      if (k == 1 ? find_one_pass(problem, grids, 1) : find_passes(problem, grids, 1, k))
        return true;
    }
    return false;
  };
  std::uint64_t low = problem.memory_bytes;
  std::uint64_t high = std::max<std::uint64_t>(2 * low, problem.fixed_bytes + (1U << 20U));
  while (!does(high) && high < (std::uint64_t{1} << 62U)) {
    low = high;
    high *= 2;
  }
  while (high - low > high / 30 && high - low > 1024) {
    const std::uint64_t middle = low + ((high - low) / 2);
    (does(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

BoxPlan BoxPlan::make(const BoxProblem& problem) {
  check_problem(problem);
  BoxPlan plan;
  plan.problem_ = problem;
  plan.grids_ = BoxGrids::of(problem);
  auto one = find_plan(problem, plan.grids_, 1);
  if (!one) {
    const std::uint64_t least = least_memory(problem, plan.grids_);
    throw Error(
        ErrorCode::impossible,
        fmt::format(
            "{} bytes of memory do not do{}: {}, {}, and {} bytes are for all else; {} bytes do",
            problem.memory_bytes,
            problem.passes == 0   ? ""
            : problem.passes == 1 ? " for one pass"
                                  : fmt::format(" for {} passes", problem.passes),
            whole_words(problem.from, "read"), whole_words(problem.to, "written"),
            problem.fixed_bytes, least));
  }
  auto two = find_plan(problem, plan.grids_, 2);
  const bool overlapped = better_overlapped(two, *one);
  plan.facts_.passes = std::move((overlapped ? *two : *one).passes);
  plan.facts_.seconds = (overlapped ? *two : *one).seconds;
  plan.facts_.tiles_at_once = overlapped ? 2 : 1;
  plan.complete();
  return plan;
}

void BoxPlan::complete() {
  facts_.bound = box_bound(problem_, grids_);
  facts_.data_bytes = product_of(grids_.shape) * problem_.to.element_bytes;
  facts_.memory_bytes = problem_.memory_bytes;
  facts_.fixed_bytes = problem_.fixed_bytes;
  facts_.profile = problem_.profile.name;
  facts_.temporary_bytes = facts_.data_bytes * std::min<std::size_t>(2, facts_.passes.size() - 1);
}

std::vector<AxisGrid> BoxPlan::job_grid(std::size_t pass) const {
  const bool last = pass + 1 == facts_.passes.size();
  const bool files = last && problem_.to.encoding != StoredGrid::Encoding::run;
  std::vector<AxisGrid> jobs = facts_.passes[pass].tile;
  for (std::size_t k = 0; k < jobs.size(); ++k) {
    const std::uint64_t n = grids_.shape[k];
    if (facts_.passes[pass].walked == k)
      jobs[k] = AxisGrid::regular(n, n);
    else if (files)
      jobs[k] = AxisGrid::regular(n, std::max(jobs[k].step(), grids_.files_to[k].step()));
  }
  return jobs;
}

}  // namespace faro::inline v1::disk
