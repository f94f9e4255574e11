// The plan of a file: its passes, what they cost, and their performance on any RandomFile.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "algebra/digits.hpp"
#include "base/check.hpp"
#include "disk/digit_plan.hpp"
#include "disk/in_place.hpp"
#include "disk/plan_state.hpp"
#include "disk/verify.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/disk/permute_file.hpp"
#include "files/words.hpp"

namespace faro::inline v1 {
namespace disk {

std::uint64_t tile_bytes_within(std::uint64_t memory_bytes) {
  return memory_bytes <= working_bytes ? 0 : (memory_bytes - working_bytes) / tiles_in_memory;
}

std::uint64_t tile_bytes_of(const FilePlanOptions& options) {
  return std::min(tile_bytes_within(options.memory_bytes), options.tile_bytes_max);
}

std::uint64_t largest_tile_bytes(const FilePlanFacts& facts) {
  std::uint64_t bytes = 0;
  for (const FilePassFacts& pass : facts.passes) bytes = std::max(bytes, pass.tile_bytes);
  return bytes;
}

// 2^60 elements of 8 bytes for seconds and bytes: what a double rounds is no part of a plan.
double seconds_of(const FilePassFacts& pass, Count data_bytes, const DiskProfile& profile) {
  const auto bytes = static_cast<double>(data_bytes);
  const auto runs = [&](std::uint64_t run) { return bytes / static_cast<double>(run); };
  const double log =
      pass.log_writes == 0 ? 0 : bytes / static_cast<double>(profile.write_bytes_per_second);
  return log + bytes / static_cast<double>(profile.read_bytes_per_second) +
         bytes / static_cast<double>(profile.write_bytes_per_second) +
         runs(pass.read_run_bytes) * static_cast<double>(profile.read_run_nanoseconds) * 1e-9 +
         runs(pass.write_run_bytes) * static_cast<double>(profile.write_run_nanoseconds) * 1e-9;
}

void impossible(const std::string& message) {
  throw Error(ErrorCode::impossible, message);
}

void refuse_memory(std::uint64_t memory_bytes, Count least_tile_bytes) {
  // In whole MiB, so that what is printed does.
  constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;
  const Count least = Count{working_bytes} + least_tile_bytes * tiles_in_memory;
  throw Error(ErrorCode::impossible,
              fmt::format("a memory of {} holds no tiles: {} are for everything else; {} would do",
                          files::size_text(memory_bytes), files::size_text(working_bytes),
                          files::size_text((least + (mebibyte - 1)) / mebibyte * mebibyte)));
}

namespace {

constexpr std::uint64_t nanoseconds_of_second = 1'000'000'000;

enum class Placement { copy, in_place, within_output };

bool is_in_place(Placement placement, std::size_t pass) {
  return placement == Placement::in_place || (placement == Placement::within_output && pass != 0);
}

// The least cap whose tiles hold 2^tile_log2 units.
Count memory_for(int tile_log2, std::uint64_t unit_bytes) {
  return working_bytes + (Count{unit_bytes} << static_cast<unsigned>(tile_log2)) * tiles_in_memory;
}

Count data_bytes(const FilePermutePlan::State& state) {
  const Count array =
      (Count{1} << static_cast<unsigned>(state.map.width())) * state.array.unit_bytes;
  return array * state.array.outer;
}

// A unit beyond the tile is cut into a power of two of parts, which the map leaves together.
void cut_units(FilePermutePlan::State& state, std::uint64_t budget, std::uint64_t memory_bytes) {
  int parts_log2 = 0;
  std::uint64_t unit = state.array.unit_bytes;
  while (unit > budget && unit % 2 == 0) {
    unit /= 2;
    ++parts_log2;
  }
  if (unit > budget)
    impossible(
        fmt::format("a part of {} that the map moves as one does not fit a tile of the "
                    "memory, {}; {} would do",
                    files::size_text(unit), files::size_text(memory_bytes),
                    files::size_text(memory_for(0, unit))));
  if (parts_log2 == 0) return;
  if (state.map.width() + parts_log2 > word_bits)
    throw Error(ErrorCode::limit, "indices of the parts of elements do not fit 64 bits");
  state.map = beside(state.map, BitMap::identity(parts_log2));
  state.array.unit_bytes = unit;
}

// Arrays that fit a tile: as many as it holds, in whole blocks of the disk where that is possible.
void group_arrays(FilePermutePlan::State& state, std::uint64_t budget) {
  const int width = state.map.width();
  const std::uint64_t array_bytes = state.array.unit_bytes << static_cast<unsigned>(width);
  std::uint64_t group = std::min(state.array.outer, budget / array_bytes);
  const std::uint64_t even = block_bytes / std::gcd(block_bytes, array_bytes);
  if (group < state.array.outer && group >= even) group -= group % even;
  state.array.group = group;
  state.tile_log2 = width;
  DiskPass pass{.map = state.map, .tile = {}, .read_log2 = width, .write_log2 = width};
  for (int i = 0; i < width; ++i) pass.tile.push_back(bit(i));
  state.passes = {std::move(pass)};
}

RunCosts run_costs(const FilePermutePlan::State& state, const DiskProfile& profile) {
  if (profile.read_bytes_per_second == 0 || profile.write_bytes_per_second == 0)
    throw Error(ErrorCode::usage, fmt::format("profile '{}': rates are above 0", profile.name));
  const Count bytes = data_bytes(state) * nanoseconds_of_second;
  const Count units = (Count{1} << static_cast<unsigned>(state.map.width())) * state.array.outer;
  RunCosts costs;
  for (unsigned t = 0; t <= static_cast<unsigned>(state.tile_log2); ++t) {
    const Count runs = units >> t;
    costs.read.push_back(bytes / profile.read_bytes_per_second +
                         (runs * profile.read_run_nanoseconds));
    costs.write.push_back(bytes / profile.write_bytes_per_second +
                          (runs * profile.write_run_nanoseconds));
  }
  return costs;
}

// In units; 0 for what may be cut anywhere.
int piece_log2(const FilePermutePlan::State& state, std::uint64_t piece_bytes) {
  if (piece_bytes <= state.array.unit_bytes) return 0;
  const std::uint64_t units = piece_bytes / state.array.unit_bytes;
  if (piece_bytes % state.array.unit_bytes != 0 || !is_power_of_two(units) ||
      log2_exact(units) > state.map.width())
    throw Error(ErrorCode::usage,
                fmt::format("pieces of {} bytes are no power of two of units of {}, or more than "
                            "an array",
                            piece_bytes, state.array.unit_bytes));
  return log2_exact(units);
}

// Says which inequality fails, and the least memory that would do.
[[noreturn]] void refuse(const FilePermutePlan::State& state, const AdaptedBasis& basis,
                         const LeastRuns& runs, const FilePlanOptions& options) {
  const auto text = [&](int run_log2) {
    return files::size_text(Count{state.array.unit_bytes} << static_cast<unsigned>(run_log2));
  };
  const int run_log2 = runs.between;
  const int rank = run_log2 - overlap(basis, run_log2, run_log2);
  const bool equal = runs.read == run_log2 && runs.write == run_log2;
  const std::string run = equal ? fmt::format("runs of {}", text(run_log2))
                                : fmt::format("pieces of {} read whole and of {} written whole",
                                              text(runs.read), text(runs.write));
  int tile = std::max({runs.read, runs.write, state.tile_log2});
  const auto fewest = [&] { return fewest_passes(basis, tile, runs); };
  while (fewest() < 0 || (options.passes != 0 && fewest() > options.passes)) ++tile;
  const std::string passes =
      options.passes == 1 ? "1 pass" : fmt::format("{} passes", options.passes);
  std::string message;
  if (options.passes != 0 && equal && state.tile_log2 > run_log2)
    message = fmt::format(
        "{} with {} would need {} + {} <= {} x {}: runs, the rank {} of the map across them, and "
        "a tile's bits; {} are the fewest here",
        passes, run, run_log2, rank, options.passes, state.tile_log2 - run_log2, rank,
        fewest_passes(basis, state.tile_log2, runs));
  else if (options.passes != 0 && fewest_passes(basis, state.tile_log2, runs) > 0)
    message = fmt::format("{} do not do with {}; {} are the fewest here", passes, run,
                          fewest_passes(basis, state.tile_log2, runs));
  else
    message = fmt::format("{} do not fit the tiles of a memory of {}, which have {}", run,
                          files::size_text(options.memory_bytes), text(state.tile_log2));
  impossible(fmt::format("{}; a memory of {} would do{}", message,
                         files::size_text(memory_for(tile, state.array.unit_bytes)),
                         equal ? ", or shorter runs" : ""));
}

// Every tile's place in the cycles of a pass takes a bit of memory.
bool has_room_for_cycles(const DiskPass& pass, const TiledArray& array) {
  const int tiles_log2 = pass.map.width() - static_cast<int>(pass.tile.size());
  return tiles_log2 <= limits::file_cycle_tiles_log2_max ||
         MoveOrder::bytes(PassTiles(pass, array).successors()) == 0;
}

Count cost_of(const std::vector<DiskPass>& passes, Placement placement, int tile_log2,
              const RunCosts& costs) {
  Count cost = 0;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    cost += costs.read[static_cast<std::size_t>(passes[i].read_log2)] +
            costs.write[static_cast<std::size_t>(passes[i].write_log2)];
    if (is_in_place(placement, i)) cost += costs.write[static_cast<std::size_t>(tile_log2)];
  }
  return cost;
}

// The cheapest of the plans with runs of 2^run_log2 everywhere, for every run_log2; or none.
struct Found {
  Count cost = 0;
  std::vector<DiskPass> passes = {};
};
Found cheapest_in_place(const FilePermutePlan::State& state, const AdaptedBasis& basis,
                        const Limits& limits, const RunCosts& costs, Placement placement) {
  Found best;
  const auto whole = static_cast<std::size_t>(limits.tile);
  const int least_run = std::max({limits.runs.read, limits.runs.write, limits.runs.between});
  for (int run = least_run; run <= limits.tile; ++run) {
    const int fewest =
        fewest_passes(basis, limits.tile, {.read = run, .write = run, .between = run});
    if (fewest < 0 || (limits.passes != 0 && fewest > limits.passes)) continue;
    const Count least = static_cast<Count>(fewest) * (costs.read[whole] + costs.write[whole]);
    if (!best.passes.empty() && least >= best.cost) continue;
    std::vector<DiskPass> passes = placement == Placement::in_place
                                       ? factor_in_place(state.map, basis, limits.tile, run)
                                       : factor_within_output(state.map, basis, limits.tile, run);
    const Count cost = cost_of(passes, placement, limits.tile, costs);
    if (!best.passes.empty() && cost >= best.cost) continue;
    if (limits.passes != 0 && static_cast<int>(passes.size()) != limits.passes) continue;
    if (!std::all_of(passes.begin(), passes.end(),
                     [&](const DiskPass& pass) { return has_room_for_cycles(pass, state.array); }))
      continue;
    best = {.cost = cost, .passes = std::move(passes)};
  }
  return best;
}

void find_passes(FilePermutePlan::State& state, std::uint64_t budget,
                 const FilePlanOptions& options, Placement placement) {
  state.tile_log2 = highest_bit(budget / state.array.unit_bytes);
  int run_log2 = 0;
  while (run_log2 < state.map.width() &&
         (Count{state.array.unit_bytes} << static_cast<unsigned>(run_log2)) < options.run_bytes_min)
    ++run_log2;
  const AdaptedBasis basis = adapted_basis(state.map.matrix());
  const LeastRuns runs{.read = std::max(run_log2, piece_log2(state, options.input_piece_bytes)),
                       .write = std::max(run_log2, piece_log2(state, options.output_piece_bytes)),
                       .between = run_log2};
  const int fewest = run_log2 > state.tile_log2 ? -1 : fewest_passes(basis, state.tile_log2, runs);
  if (fewest < 0 || (options.passes != 0 && options.passes < fewest))
    refuse(state, basis, runs, options);
  Limits limits{.tile = state.tile_log2, .runs = runs, .passes = options.passes};
  const RunCosts costs = run_costs(state, options.profile);
  Found found;
  if (placement != Placement::copy)
    found = cheapest_in_place(state, basis, limits, costs, placement);
  // Within the output a plan of one pass is one as any other.
  if (placement == Placement::within_output && limits.passes == 0) limits.passes = 1;
  if (placement == Placement::copy || (placement == Placement::within_output && limits.passes == 1))
    if (const Cheapest best = cheapest(basis, limits, costs);
        best.found && (found.passes.empty() || best.cost < found.cost))
      found.passes = factor(state.map, basis, best.shape);
  if (found.passes.empty())
    impossible(
        fmt::format("{}his map has no plan of {} with such runs; leave --passes out, or give more "
                    "memory",
                    placement == Placement::copy ? "t" : "in place t",
                    options.passes == 0   ? std::string("any number of passes")
                    : options.passes == 1 ? std::string("1 pass")
                                          : fmt::format("{} passes", options.passes)));
  state.passes = std::move(found.passes);
}

void bound(FilePermutePlan::State& state) {
  FilePlanFacts& facts = state.facts;
  if (state.tile_log2 == state.map.width()) {
    facts.passes_bound = 1;
    facts.bound_reason = "everything is read and written once";
    return;
  }
  int run = state.tile_log2;
  for (const DiskPass& pass : state.passes) run = std::min({run, pass.read_log2, pass.write_log2});
  const auto least = passes_bound(state.map.matrix(), state.tile_log2, run);
  FARO_CHECK(least.has_value());
  const int rank = low_to_high_rank(state.map.matrix(), run);
  facts.passes_bound = *least;
  facts.bound_reason =
      rank == 0 ? "everything is read and written once"
                : fmt::format(
                      "runs of {} are torn apart in {} {} and a pass joins at most {}",
                      files::size_text(Count{state.array.unit_bytes} << static_cast<unsigned>(run)),
                      rank, rank == 1 ? "bit" : "bits", state.tile_log2 - run);
}

// The files of the i-th of `count` passes.
void name_files(Placement placement, std::size_t i, std::size_t count, FilePassFacts& pass) {
  switch (placement) {
    case Placement::copy:
      // The last pass writes the output, and they alternate.
      pass.to = (count - i) % 2 == 1 ? "output" : "temporary";
      pass.from = i == 0 ? "input" : (count - i) % 2 == 1 ? "temporary" : "output";
      return;
    case Placement::in_place:
      pass.from = pass.to = "array";
      return;
    case Placement::within_output:
      pass.from = i == 0 ? "input" : "output";
      pass.to = "output";
      return;
  }
}

Count log_writes(const PassTiles& tiles, const MoveSteps& moves) {
  if (moves.group > 1 || tiles.tiles_of_array() > 1)
    return tiles.tiles() / moves.group * ceil_div(moves.step_bytes(), request_bytes_max);
  return tiles.writes();  // groups of whole arrays, of which the last may be short
}

void fill_facts(FilePermutePlan::State& state, const FilePlanOptions& options, Placement placement,
                std::uint64_t budget) {
  FilePlanFacts& facts = state.facts;
  facts.unit_bytes = state.array.unit_bytes;
  facts.data_bytes = data_bytes(state);
  facts.memory_bytes = options.memory_bytes;
  facts.profile = options.profile.name;
  const std::size_t count = state.passes.size();
  for (std::size_t i = 0; i < count; ++i) {
    TiledArray array = state.array;
    if (i == 0) array.read_piece_bytes = options.input_piece_bytes;
    if (i + 1 == count) array.write_piece_bytes = options.output_piece_bytes;
    const PassTiles& tiles = state.tiles.emplace_back(state.passes[i], array);
    FilePassFacts pass{.map = state.passes[i].map,
                       .tile = state.passes[i].tile,
                       .tile_bytes = tiles.tile_bytes(),
                       .tiles = tiles.tiles(),
                       .read_run_bytes = tiles.read_run_bytes(),
                       .write_run_bytes = tiles.write_run_bytes(),
                       .reads = tiles.reads(),
                       .writes = tiles.writes(),
                       .log_writes = 0,
                       .from = {},
                       .to = {}};
    name_files(placement, i, count, pass);
    state.groups.push_back(0);
    if (is_in_place(placement, i)) {
      const MoveSteps moves{tiles, state.groups.back() = tiles_of_step(tiles, budget)};
      pass.tile_bytes = moves.step_bytes();
      pass.tiles = ceil_div(tiles.tiles(), moves.group);
      pass.log_writes = log_writes(tiles, moves);
      facts.log_bytes = std::max<Count>(facts.log_bytes, Count{2} * moves.step_bytes());
    }
    facts.passes.push_back(std::move(pass));
  }
  if (count > 1 && placement == Placement::copy) facts.temporary_bytes = facts.data_bytes;
  for (FilePassFacts& pass : facts.passes) {
    pass.seconds = seconds_of(pass, facts.data_bytes, options.profile);
    facts.seconds += pass.seconds;
  }
  bound(state);
}

FilePermutePlan::State plan_for(const BitMap& map, const PermuteShape& shape,
                                const FilePlanOptions& options, Placement placement) {
  if (shape.element_bytes == 0 || shape.inner == 0 || shape.outer == 0)
    throw Error(ErrorCode::usage, "an array of no bytes: there is nothing to move");
  if (options.passes < 0)
    throw Error(ErrorCode::usage,
                fmt::format("{} passes; wanted 1 or more, or 0 for the cheapest", options.passes));
  if (options.input_piece_bytes == 0 || options.output_piece_bytes == 0)
    throw Error(ErrorCode::usage, "pieces that are read and written whole have at least 1 byte");
  if (placement != Placement::copy &&
      std::max(options.input_piece_bytes, options.output_piece_bytes) > 1)
    throw Error(ErrorCode::usage,
                "chunks are read and written whole, so they are not rearranged in place; leave "
                "--in-place and --no-temporary out");
  FilePermutePlan::State state;
  state.map = map;
  state.array.unit_bytes =
      size_product(shape.element_bytes, shape.inner, "bytes that the map moves as one");
  state.array.outer = shape.outer;
  const std::uint64_t budget = tile_bytes_of(options);
  if (budget == 0) refuse_memory(options.memory_bytes, Count{state.array.unit_bytes} * 2);
  cut_units(state, budget, options.memory_bytes);
  const Count array_bytes =
      (Count{1} << static_cast<unsigned>(state.map.width())) * state.array.unit_bytes;
  if (array_bytes <= budget)
    group_arrays(state, budget);
  else
    find_passes(state, budget, options, placement);
  const auto wrong = wrong_by_ranks(state.map, state.passes, state.tile_log2);
  FARO_CHECK(!wrong.has_value());
  for (std::size_t i = 0; i < state.passes.size(); ++i)
    FARO_CHECK(!is_in_place(placement, i) || !wrong_in_place(state.passes[i]).has_value());
  fill_facts(state, options, placement, budget);
  return state;
}

}  // namespace
}  // namespace disk

FilePermutePlan FilePermutePlan::out_of_place(const Map& map, const PermuteShape& shape,
                                              const FilePlanOptions& options) {
  using disk::Placement;
  const BitMap* bits = map.bits();
  return FilePermutePlan(std::make_shared<const State>(
      bits == nullptr
          ? disk::plan_lengths(radix::on_middle_axis(shape.outer, map, shape.inner),
                               shape.element_bytes, options)
          : disk::plan_for(*bits, shape, options,
                           options.temporary ? Placement::copy : Placement::within_output)));
}

FilePermutePlan FilePermutePlan::in_place(const Map& map, const PermuteShape& shape,
                                          const FilePlanOptions& options) {
  const BitMap* bits = map.bits();
  return FilePermutePlan(std::make_shared<const State>(
      bits == nullptr ? disk::plan_units(radix::on_middle_axis(shape.outer, map, shape.inner),
                                         shape.element_bytes, options)
                      : disk::plan_for(*bits, shape, options, disk::Placement::in_place)));
}

const FilePlanFacts& FilePermutePlan::facts() const {
  return state_->facts;
}

}  // namespace faro::inline v1
