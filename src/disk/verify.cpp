#include "disk/verify.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

int rank_of(int width, std::span<const Word> vectors) {
  // More vectors than a matrix has columns: ranks of pieces, joined through their images.
  std::vector<Word> kept;
  for (const Word v : vectors) {
    kept.push_back(v);
    if (BitMatrix::from_columns(width, kept).rank() != static_cast<int>(kept.size()))
      kept.pop_back();
  }
  return static_cast<int>(kept.size());
}

std::optional<std::string> wrong_pass(const DiskPass& pass, int width, int tile_log2) {
  if (pass.map.width() != width)
    return fmt::format("its map has {} bits, the array {}", pass.map.width(), width);
  const auto dimension = static_cast<int>(pass.tile.size());
  for (const Word v : pass.tile)
    if ((v & ~low_mask(width)) != 0) return "its tile leaves the array";
  if (rank_of(width, pass.tile) != dimension) return "the vectors of its tile are dependent";
  if (dimension > tile_log2)
    return fmt::format("its tile has 2^{} elements, memory holds 2^{}", dimension, tile_log2);
  if (pass.read_log2 < 0 || pass.read_log2 > dimension || pass.write_log2 < 0 ||
      pass.write_log2 > dimension)
    return "its runs do not fit its tile";
  std::vector<Word> with = pass.tile;
  for (int i = 0; i < pass.read_log2; ++i) with.push_back(bit(i));
  if (rank_of(width, with) != dimension)
    return fmt::format("its tiles are no unions of runs of 2^{} read", pass.read_log2);
  std::vector<Word> image;
  for (const Word v : pass.tile) image.push_back(pass.map.matrix().apply(v));
  for (int i = 0; i < pass.write_log2; ++i) image.push_back(bit(i));
  if (rank_of(width, image) != dimension)
    return fmt::format("its tiles are no unions of runs of 2^{} written", pass.write_log2);
  return std::nullopt;
}

// A tile of a pass, by every address of it; each address is counted in the two lists.
std::optional<std::string> wrong_tile(const DiskPass& pass, Word base, std::vector<char>& read,
                                      std::vector<char>& written) {
  std::vector<Word> from;
  std::vector<Word> to;
  for (Word k = 0; k < bit(static_cast<int>(pass.tile.size())); ++k) {
    Word x = base;
    for (Word rest = k; rest != 0; rest &= rest - 1)
      x ^= pass.tile[static_cast<std::size_t>(lowest_bit(rest))];
    from.push_back(x);
    to.push_back(pass.map(x));
    if (read[x]++ != 0) return fmt::format("element {} is read twice", x);
    if (written[to.back()]++ != 0) return fmt::format("place {} is written twice", to.back());
  }
  // No address stands there twice, so sorted a whole run ends where its length says.
  const auto whole_runs = [](std::vector<Word>& all, int log2) {
    std::sort(all.begin(), all.end());
    const Word last = low_mask(log2);
    if (all.size() % (last + 1) != 0) return false;
    for (std::size_t i = 0; i < all.size(); i += last + 1)
      if ((all[i] & last) != 0 || all[i + last] != all[i] + last) return false;
    return true;
  };
  if (!whole_runs(from, pass.read_log2)) return "a run is read in pieces";
  if (!whole_runs(to, pass.write_log2)) return "a run is written in pieces";
  return std::nullopt;
}

// A run of so many elements along the digits of a side, from the last one: whole digits and a part
// of one, all of it in a tile.
std::optional<std::string> wrong_run(const std::vector<Digit>& side, std::span<const Word> blocks,
                                     int width, std::vector<Word> tile, Count run) {
  int bits = 0;
  const int dimension = rank_of(width, tile);
  for (std::size_t k = side.size(); k-- > 0 && run > 1;) {
    const Digit& digit = side[k];
    if (digit.which == Digit::is_bit) {
      tile.push_back(bit(bits++));
      if (run % 2 != 0 || rank_of(width, tile) != dimension) return "a run leaves its bits";
      run /= 2;
      continue;
    }
    const Word block = blocks[static_cast<std::size_t>(digit.which)];
    if (run <= block) return std::nullopt;
    if (block != digit.length || run % block != 0) return "a run leaves its blocks";
    run /= block;
  }
  return run > 1 ? std::optional<std::string>("a run is longer than the array") : std::nullopt;
}

}  // namespace

std::optional<std::string> wrong_blocks(const DigitPass& pass, const ClaimedRuns& runs,
                                        Count tile_elements) {
  const Digits& digits = pass.map.digits();
  const int width = digits.bits.width();
  Count elements = Count{1} << static_cast<unsigned>(pass.tile.size());
  for (const Digit& digit : digits.from) {
    if (digit.which == Digit::is_bit) continue;
    const auto which = static_cast<std::size_t>(digit.which);
    if (which >= pass.blocks.size() || pass.blocks[which] == 0 || pass.blocks[which] > digit.length)
      return fmt::format("length {} has no block, or one that is longer", digit.length);
    elements *= pass.blocks[which];
  }
  for (const Word v : pass.tile)
    if ((v & ~low_mask(width)) != 0) return "its tile leaves the bits";
  if (rank_of(width, pass.tile) != static_cast<int>(pass.tile.size()))
    return "the vectors of its tile are dependent";
  if (elements > tile_elements) return "a tile is larger than memory";
  if (const auto wrong = wrong_run(digits.from, pass.blocks, width, pass.tile, runs.read))
    return "read: " + *wrong;
  std::vector<Word> image;
  for (const Word v : pass.tile) image.push_back(digits.bits.matrix().apply(v));
  if (const auto wrong = wrong_run(digits.to, pass.blocks, width, image, runs.write))
    return "written: " + *wrong;
  return std::nullopt;
}

std::optional<std::string> wrong_by_ranks(const BitMap& goal, std::span<const DiskPass> passes,
                                          int tile_log2) {
  const int width = goal.width();
  for (std::size_t i = 0; i < passes.size(); ++i)
    if (const auto wrong = wrong_pass(passes[i], width, tile_log2))
      return fmt::format("pass {}: {}", i + 1, *wrong);
  const auto through = [&](Word x) {
    for (const DiskPass& pass : passes) x = pass.map(x);
    return x;
  };
  // An affine map is known by its values at 0 and at the powers of two.
  if (through(0) != goal(0)) return "the passes together do not send element 0 to its place";
  for (int i = 0; i < width; ++i)
    if (through(bit(i)) != goal(bit(i)))
      return fmt::format("the passes together do not send element 2^{} to its place", i);
  return std::nullopt;
}

std::optional<std::string> wrong_in_place(const DiskPass& pass) {
  std::vector<Word> both = pass.tile;
  for (const Word v : pass.tile) both.push_back(pass.map.matrix().apply(v));
  if (rank_of(pass.map.width(), both) == static_cast<int>(pass.tile.size())) return std::nullopt;
  return "its tiles do not go to places of tiles, so it cannot be performed in place";
}

std::optional<std::string> wrong_by_enumeration(const BitMap& goal,
                                                std::span<const DiskPass> passes, int tile_log2) {
  FARO_CHECK(goal.width() <= limits::file_plan_walked_log2_max);
  const Word elements = bit(goal.width());
  std::vector<Word> holds(elements);  // which element stands where
  for (Word i = 0; i < elements; ++i) holds[i] = i;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const DiskPass& pass = passes[i];
    if (static_cast<int>(pass.tile.size()) > tile_log2) return "a tile is larger than memory";
    std::vector<char> read(elements, 0);
    std::vector<char> written(elements, 0);
    std::vector<Word> next(elements);
    for (Word base = 0; base < elements; ++base) {
      if (read[base] != 0) continue;
      if (const auto wrong = wrong_tile(pass, base, read, written))
        return fmt::format("pass {}: {}", i + 1, *wrong);
    }
    for (Word x = 0; x < elements; ++x) next[pass.map(x)] = holds[x];
    holds = std::move(next);
  }
  for (Word x = 0; x < elements; ++x)
    if (goal(holds[x]) != x) return fmt::format("element {} ends at {}", holds[x], x);
  return std::nullopt;
}

int low_to_high_rank(const BitMatrix& matrix, int run_log2) {
  const int width = matrix.columns();
  return matrix.block(run_log2, width - run_log2, 0, run_log2).rank();
}

std::optional<int> passes_bound(const BitMatrix& matrix, int tile_log2, int run_log2) {
  const int rank = low_to_high_rank(matrix, run_log2);
  if (rank == 0) return 1;
  if (run_log2 >= tile_log2) return std::nullopt;
  const int gain = tile_log2 - run_log2;
  return (rank + gain - 1) / gain;
}

}  // namespace faro::inline v1::disk
