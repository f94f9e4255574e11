// Passes that write every tile over one that was read, so that the array needs no second place.
//
// A pass in place has A T = T: tiles, the cosets of T, change places, in cycles, and with one of
// them in memory every next can be written over what was read before it. In a *local* pass every
// tile goes back to its own place.
//
//   rho = rank of the block of A that maps the low B bits to high ones, m = M - B
//   ceil(rho / m)  local passes bring the runs together; each exchanges m pairs of basis vectors
//   1 more         permutes whole runs, if they are not where they belong already
//
// It ends earlier where what remains, R, leaves some T of at most M dimensions with S_B in it as it
// is (R T = T): bit reversal of 16 elements in tiles of 8 and runs of 2: T = {b0, b3}, one pass, in
// which the 4 tiles of 4 elements change places 1 <-> 2.
//
// Out of place without a temporary file the permutation of runs comes first, together with the
// first local pass, from the input to the output; the others follow within the output. That makes
// ceil(rho / m) passes, which is the bound.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "disk/passes.hpp"
#include "disk/tiles.hpp"

namespace faro::inline v1::disk {

// Requires tile_log2 > run_log2, or a map that leaves runs of 2^run_log2 whole.
std::vector<DiskPass> factor_in_place(const BitMap& map, const AdaptedBasis& basis, int tile_log2,
                                      int run_log2);
// The first pass is out of place, the others are local.
std::vector<DiskPass> factor_within_output(const BitMap& map, const AdaptedBasis& basis,
                                           int tile_log2, int run_log2);

// The order in which tiles move: a tile's old content is read before anything is written over it,
// and only by the move just before that. One bit a tile says what was moved, but in local passes.
class MoveOrder {
 public:
  // Of the tiles of an array: from the index of a tile to that of the one whose place it takes.
  explicit MoveOrder(const Map& successors);

  // From the beginning again.
  void restart();
  // The next `count` tiles, as they lie in array after array.
  std::vector<Word> take(std::uint64_t count);
  static std::uint64_t bytes(const Map& successors);

 private:
  Word next();

  Map successors_;
  Word tiles_;  // of an array
  bool local_ = false;
  std::vector<Word> moved_;  // bits
  Word leader_ = 0;          // all below were moved
  Word at_ = 0;
  bool in_cycle_ = false;
  Word array_ = 0;
  std::uint64_t left_ = 0;  // in this array
};

// Tiles are moved in steps, as many as memory holds.
struct MoveSteps {
  const FileTiles& tiles;
  std::uint64_t group = 1;  // tiles a step; the last may have fewer

  std::uint64_t steps() const { return static_cast<std::uint64_t>(ceil_div(tiles.tiles(), group)); }
  std::uint64_t step_bytes() const { return tiles.tile_bytes() * group; }
  std::uint64_t tiles_of(std::uint64_t step) const {
    return std::min(group, static_cast<std::uint64_t>(tiles.tiles()) - step * group);
  }
};
// The largest group that fits.
std::uint64_t tiles_of_step(const PassTiles& tiles, std::uint64_t budget_bytes);

}  // namespace faro::inline v1::disk
