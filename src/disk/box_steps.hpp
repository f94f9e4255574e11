// What searches of plans of boxes share: prices by the profile, the steps that are tried on an
// axis, the room for tiles.
//
// Steps tried: of what is written, chunks that divide a shard, and shards in the least multiple for
// each number of tiles; of what is read, the same of chunks; of both, the multiples of their least
// common multiple; the axis. At most so many, evenly in the logarithm.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "disk/box_plan.hpp"

namespace faro::inline v1::disk {

__extension__ typedef unsigned __int128 Nanoseconds;
__extension__ typedef unsigned __int128 Units;

double seconds_of(Nanoseconds time);
Units units_of(Count count);
inline bool is_plain(const StoredGrid& grid) {
  return grid.encoding == StoredGrid::Encoding::run;
}

class BoxPrice {
 public:
  BoxPrice(const BoxProblem& problem, const BoxGrids& grids);
  // Requests of units, or runs, by a first pass with these tiles.
  Nanoseconds input(Units requests, Units bytes, const std::vector<AxisGrid>& tile) const;
  Nanoseconds output(const std::vector<AxisGrid>& tile) const;
  Nanoseconds between(Units files, Units meets) const;
  Units bytes() const { return bytes_; }

 private:
  const BoxProblem& problem_;
  const BoxGrids& grids_;
  Units bytes_ = 1;
  Units files_to_ = 1;
};

using Steps = std::set<std::uint64_t>;
std::vector<std::uint64_t> spread(const Steps& steps, std::size_t most);

// Unions of what is written on axis k.
std::vector<AxisGrid> target_tiles(const BoxProblem& problem, const BoxGrids& grids, std::size_t k,
                                   std::size_t most);
// Of the first pass of several: unions of units read, which may begin with a short one.
std::vector<AxisGrid> source_tiles(const BoxProblem& problem, const BoxGrids& grids, std::size_t k,
                                   std::size_t most);
// Elements that a tile takes on an axis where it lies unit after unit.
std::uint64_t padded(const AxisGrid& units, std::uint64_t nominal, const AxisGrid& tile);
// What is left for tiles beside the buffers, in elements.
struct PassPlace {
  bool first = true;
  bool last = true;
};
Units room_for(const BoxProblem& problem, const BoxGrids& grids, int copies, TileOrder order,
               const PassPlace& place);

}  // namespace faro::inline v1::disk
