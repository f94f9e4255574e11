// What a FilePermutePlan holds.
#pragma once

#include <vector>

#include "disk/passes.hpp"
#include "disk/tiles.hpp"
#include "faro/disk/file_permute_plan.hpp"

namespace faro::inline v1 {

struct FilePermutePlan::State {
  BitMap map;  // on units
  disk::TiledArray array;
  int tile_log2 = 0;
  std::vector<disk::DiskPass> passes;
  std::vector<disk::PassTiles> tiles;  // of each pass
  // Tiles that are moved together by each pass; 0 where it is out of place.
  std::vector<std::uint64_t> groups;
  FilePlanFacts facts;
};

namespace disk {

// Memory beside the tiles: the program, its libraries, stacks, tables, what the page cache holds of
// files that cannot be read directly.
inline constexpr std::uint64_t working_bytes = std::uint64_t{48} << 20U;
inline constexpr int tiles_in_memory = 3;

// What a buffer must hold.
std::uint64_t largest_tile_bytes(const FilePlanFacts& facts);

// The largest tile within a cap; 0 if there is none.
std::uint64_t tile_bytes_within(std::uint64_t memory_bytes);

}  // namespace disk
}  // namespace faro::inline v1
