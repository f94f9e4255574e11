#include "disk/digit_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "algebra/digits.hpp"
#include "base/check.hpp"
#include "disk/in_place.hpp"
#include "disk/verify.hpp"
#include "engine/normal_form.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "files/words.hpp"

namespace faro::inline v1::disk {
namespace {

class Planner {
 public:
  Planner(const Map& map, std::uint64_t element_bytes, const FilePlanOptions& options)
      : map_(map),
        digits_(map.digits()),
        inverse_(digits_.bits.matrix().inverse().value()),
        basis_(adapted_basis(digits_.bits.matrix())),
        element_bytes_(element_bytes),
        options_(options) {
    for (const Digit& digit : digits_.from)
      if (digit.which != Digit::is_bit) {
        lengths_.push_back(digit.length);
        parts_.push_back(digit.length);
      }
    for (const Digit& digit : digits_.to)
      if (const Word seam = seam_of(digit); seam != 0)
        parts_[static_cast<std::size_t>(digit.which)] = std::max(seam, digit.length - seam);
    from_.assign(digits_.from.rbegin(), digits_.from.rend());
    to_.assign(digits_.to.rbegin(), digits_.to.rend());
  }

  // The cheapest within so many elements; nothing if there is none.
  std::optional<DigitPass> plan(std::uint64_t elements) {
    best_.reset();
    for (std::size_t whole = 0; whole <= from_.size(); ++whole) {
      Tile tile(lengths_.size());
      Count stride = 1;
      for (std::size_t k = 0; k < whole; ++k) {
        take(tile.blocks, tile.read_bits, from_[k]);
        stride *= from_[k].length;
      }
      if (size_of(tile) > elements) break;
      consider(tile, elements);
      if (whole == from_.size() || from_[whole].which == Digit::is_bit) continue;
      Word& block = tile.blocks[static_cast<std::size_t>(from_[whole].which)];
      const Word room = elements / static_cast<Word>(size_of(tile));
      for (Word part = 2; part < from_[whole].length && part <= room; part *= 2) {
        block = part;
        consider(tile, elements);
      }
      // All that there is room for.
      block = in_blocks(std::min(room, from_[whole].length), stride);
      consider(tile, elements);
    }
    if (!best_) return std::nullopt;
    DigitPass pass{.map = map_, .blocks = best_->blocks, .tile = {}};
    for (int i = 0; i < best_->read_bits; ++i) pass.tile.push_back(bit(i));
    for (int i = 0; i < best_->write_bits; ++i) pass.tile.push_back(inverse_.column(i));
    pass.tile = reduced_basis(pass.tile);
    return pass;
  }

 private:
  struct Tile {
    explicit Tile(std::size_t lengths) : blocks(lengths, 1) {}
    std::vector<Word> blocks;
    int read_bits = 0;
    int write_bits = 0;
  };

  static void take(std::vector<Word>& blocks, int& bits, const Digit& digit) {
    if (digit.which == Digit::is_bit)
      ++bits;
    else
      blocks[static_cast<std::size_t>(digit.which)] = digit.length;
  }

  Count size_of(const Tile& tile) const {
    Count size =
        Count{1} << static_cast<unsigned>(tile.read_bits + tile.write_bits -
                                          overlap(basis_, tile.read_bits, tile.write_bits));
    for (const Word block : tile.blocks) size *= block;
    return size;
  }

  // A block that is not whole is no longer than what arrives in one piece.
  void cut_at_seams(Tile& tile) const {
    for (std::size_t k = 0; k < lengths_.size(); ++k)
      if (tile.blocks[k] != lengths_[k]) tile.blocks[k] = std::min(tile.blocks[k], parts_[k]);
  }

  // Runs of direct I/O are best whole blocks: of `part` places that are `stride` elements apart so
  // many that they are whole blocks of the disk, where there are enough.
  Word in_blocks(Word part, Count stride) const {
    const auto bytes = static_cast<std::uint64_t>((stride * element_bytes_) % block_bytes);
    const Word even = bytes == 0 ? 1 : block_bytes / std::gcd(block_bytes, bytes);
    return part < even ? part : part - part % even;
  }

  // What the destination's runs may have besides, and what that costs.
  void consider(Tile tile, std::uint64_t elements) {
    cut_at_seams(tile);
    Count stride = 1;
    for (const Digit& digit : to_) {
      Tile more = tile;
      take(more.blocks, more.write_bits, digit);
      if (size_of(more) <= elements) {
        tile = std::move(more);
        stride *= digit.length;
        continue;
      }
      if (digit.which != Digit::is_bit) {
        Word& block = tile.blocks[static_cast<std::size_t>(digit.which)];
        const Word others = static_cast<Word>(size_of(tile)) / block;
        block = std::max(block, in_blocks(std::min(elements / others, digit.length), stride));
      }
      break;
    }
    cut_at_seams(tile);
    const Count read = run_of(tile, from_, tile.read_bits);
    const Count write = run_of(tile, to_, tile.write_bits);
    const Count least =
        std::min<Count>(ceil_div(options_.run_bytes_min, element_bytes_), map_.elements());
    if (read < least || write < least) return;
    const Count all = map_.elements();
    const Count cost = ceil_div(all, read) * options_.profile.read_run_nanoseconds +
                       ceil_div(all, write) * options_.profile.write_run_nanoseconds;
    if (best_ && cost >= cost_) return;
    best_ = std::move(tile);
    cost_ = cost;
  }

  static Count run_of(const Tile& tile, const std::vector<Digit>& side, int bits) {
    Count run = 1;
    for (const Digit& digit : side) {
      if (digit.which == Digit::is_bit) {
        if (bits-- == 0) break;
        run *= 2;
        continue;
      }
      const Word block = tile.blocks[static_cast<std::size_t>(digit.which)];
      run *= block;
      if (block != digit.length) break;
    }
    return run;
  }

  const Map& map_;
  Digits digits_;
  BitMatrix inverse_;
  AdaptedBasis basis_;
  std::uint64_t element_bytes_;
  const FilePlanOptions& options_;
  std::vector<Word> lengths_;
  std::vector<Word> parts_;  // of each length the longest range that arrives in one piece
  std::vector<Digit> from_;  // fastest first
  std::vector<Digit> to_;
  std::optional<Tile> best_;
  Count cost_ = 0;
};

std::string memory_text(Count tile_bytes) {
  return files::size_text(working_bytes + tile_bytes * tiles_in_memory);
}

void refuse_passes(const FilePlanOptions& options) {
  if (options.passes == 0 || options.passes == 1) return;
  impossible(
      fmt::format("{} passes: arrays whose axes are no powers of two are moved in one pass here, "
                  "for which any memory does; leave --passes out, or say 1. `faro rechunk IN OUT "
                  "--map MAP --passes {}` takes several",
                  options.passes, options.passes));
}

// The cheapest by the profile whose tiles have at most `tile_bytes`. Throws Error(impossible),
// naming the memory that would do, where an element does not fit or a run is shorter than asked.
DigitPass plan_digits(const Map& map, std::uint64_t element_bytes, std::uint64_t tile_bytes,
                      const FilePlanOptions& options) {
  refuse_passes(options);
  if (tile_bytes == 0)
    refuse_memory(options.memory_bytes, std::max(element_bytes, request_bytes_max));
  Planner planner(map, element_bytes, options);
  if (tile_bytes >= element_bytes)
    if (auto pass = planner.plan(tile_bytes / element_bytes)) return *pass;
  const std::string memory = files::size_text(options.memory_bytes);
  if (tile_bytes < element_bytes)
    impossible(fmt::format("an element of {} does not fit a tile of the memory, {}; {} would do",
                           files::size_text(element_bytes), memory, memory_text(element_bytes)));
  std::uint64_t enough = tile_bytes;
  while (enough < bit(62) && !planner.plan(enough / element_bytes)) enough *= 2;
  impossible(fmt::format(
      "runs of {} on both sides do not fit one pass with tiles of {}; a memory "
      "of {} would do, or shorter runs",
      files::size_text(options.run_bytes_min), files::size_text(tile_bytes), memory_text(enough)));
}

// Of one pass, which is not filled in yet. A tile may have all rolled digits whole.
FilePermutePlan::State one_pass(const Map& map, std::uint64_t element_bytes,
                                const FilePlanOptions& options) {
  const Digits digits = map.digits();
  const auto rolled = std::count_if(digits.to.begin(), digits.to.end(),
                                    [](const Digit& digit) { return digit.roll != 0; });
  if (rolled > engine::rolled_digits_max)
    throw Error(ErrorCode::limit, fmt::format("{} digits are rolled at once; at most {}", rolled,
                                              engine::rolled_digits_max));
  if (element_bytes == 0)
    throw Error(ErrorCode::usage, "an array of no bytes: there is nothing to move");
  FilePermutePlan::State state;
  state.lengths = map;
  state.array.unit_bytes = element_bytes;
  FilePlanFacts& facts = state.facts;
  facts.bound_reason = "everything is read and written once";
  facts.unit_bytes = element_bytes;
  facts.data_bytes = map.elements() * element_bytes;
  facts.memory_bytes = options.memory_bytes;
  facts.profile = options.profile.name;
  return state;
}

void add_pass(FilePermutePlan::State& state, FilePassFacts pass, const DiskProfile& profile) {
  pass.seconds = state.facts.seconds = seconds_of(pass, state.facts.data_bytes, profile);
  state.facts.passes.push_back(std::move(pass));
}

}  // namespace

FilePermutePlan::State plan_lengths(const Map& map, std::uint64_t element_bytes,
                                    const FilePlanOptions& options) {
  FilePermutePlan::State state = one_pass(map, element_bytes, options);
  const std::uint64_t budget = tile_bytes_of(options);
  state.digits = plan_digits(map, element_bytes, budget, options);
  const DigitTiles& tiles = state.digit_tiles.emplace(*state.digits, element_bytes);
  const auto wrong = wrong_blocks(*state.digits,
                                  {.read = tiles.read_run_bytes() / element_bytes,
                                   .write = tiles.write_run_bytes() / element_bytes},
                                  budget / element_bytes);
  FARO_CHECK(!wrong.has_value());
  add_pass(state,
           {.map = {},
            .tile = state.digits->tile,
            .blocks = state.digits->blocks,
            .tile_bytes = tiles.tile_bytes(),
            .tiles = tiles.tiles(),
            .read_run_bytes = static_cast<std::uint64_t>(tiles.read_run_bytes()),
            .write_run_bytes = static_cast<std::uint64_t>(tiles.write_run_bytes()),
            .reads = tiles.reads(),
            .writes = tiles.writes(),
            .log_writes = 0,
            .from = "input",
            .to = "output"},
           options.profile);
  return state;
}

FilePermutePlan::State plan_units(const Map& map, std::uint64_t element_bytes,
                                  const FilePlanOptions& options) {
  constexpr std::uint64_t group_max = std::uint64_t{1} << 16U;
  FilePermutePlan::State state = one_pass(map, element_bytes, options);
  refuse_passes(options);
  const std::uint64_t budget = tile_bytes_of(options);
  if (budget < element_bytes)
    refuse_memory(options.memory_bytes, std::max(element_bytes, request_bytes_max));
  const TileUnits units = largest_units(map, budget / element_bytes);
  FARO_CHECK(!wrong_units(units, map).has_value());
  const UnitTiles& tiles = state.unit_tiles.emplace(units, element_bytes);
  const std::uint64_t unit = tiles.tile_bytes();
  const auto least = static_cast<std::uint64_t>(std::min<Count>(
      options.run_bytes_min == 0 ? block_bytes : options.run_bytes_min, state.facts.data_bytes));
  if (unit < least)
    impossible(fmt::format(
        "in place an array moves in units that stay together, and within this memory those of the "
        "map have {}, less than {}; another file as the output does, or shorter runs",
        files::size_text(unit), files::size_text(least)));
  const std::uint64_t marks = MoveOrder::bytes(units.among);
  if (marks > bit(limits::file_cycle_tiles_log2_max - 3))
    impossible(fmt::format("in place {} units of {} change places; at most 2^{}",
                           to_string(tiles.tiles()), files::size_text(unit),
                           limits::file_cycle_tiles_log2_max));
  const std::uint64_t group =
      std::min({group_max, budget / unit, static_cast<std::uint64_t>(tiles.tiles())});
  state.groups.push_back(group);
  const MoveSteps moves{tiles, group};
  const Count requests = tiles.tiles() * ceil_div(unit, request_bytes_max);
  const Count last = Count{moves.tiles_of(moves.steps() - 1)} * unit;
  state.facts.log_bytes = Count{2} * moves.step_bytes();
  add_pass(
      state,
      {.map = {},
       .tile = {},
       .tile_bytes = moves.step_bytes(),
       .tiles = moves.steps(),
       .read_run_bytes = unit,
       .write_run_bytes = unit,
       .reads = requests,
       .writes = requests,
       .log_writes = Count{moves.steps() - 1} * ceil_div(moves.step_bytes(), request_bytes_max) +
                     ceil_div(last, request_bytes_max),
       .from = "array",
       .to = "array"},
      options.profile);
  return state;
}

}  // namespace faro::inline v1::disk
