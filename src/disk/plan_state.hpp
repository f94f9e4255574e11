// What a FilePermutePlan holds.
#pragma once

#include <optional>
#include <vector>

#include "disk/digit_tiles.hpp"
#include "disk/passes.hpp"
#include "disk/tiles.hpp"
#include "disk/unit_tiles.hpp"
#include "faro/disk/permute_file.hpp"

namespace faro::inline v1 {

struct FilePermutePlan::State {
  BitMap map;                       // on units
  std::optional<Map> lengths = {};  // instead of it: of elements, axes of any length
  disk::TiledArray array;
  int tile_log2 = 0;
  std::vector<disk::DiskPass> passes;
  std::vector<disk::PassTiles> tiles;  // of each pass
  // Tiles that are moved together by each pass; 0 where it is out of place.
  std::vector<std::uint64_t> groups;
  // With lengths: the one pass, instead of all the above but the unit, and the groups in place.
  std::optional<disk::DigitPass> digits;
  std::optional<disk::DigitTiles> digit_tiles;
  std::optional<disk::UnitTiles> unit_tiles;  // in place
  FilePlanFacts facts;

  const disk::FileTiles& pass(std::size_t i) const {
    if (digit_tiles) return *digit_tiles;
    if (unit_tiles) return *unit_tiles;
    return tiles[i];
  }
  bool is_in_place(std::size_t i) const { return !digit_tiles && groups[i] != 0; }
  // Of a tile that was read by the first pass (fingerprint.hpp).
  std::uint64_t fingerprint(const disk::TilePlace& tile, std::span<const std::byte> bytes) const;
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
// The same, and no more than is asked for.
std::uint64_t tile_bytes_of(const FilePlanOptions& options);

// What a pass over so many bytes takes by the profile.
double seconds_of(const FilePassFacts& pass, Count data_bytes, const DiskProfile& profile);

// Throws Error(impossible).
[[noreturn]] void impossible(const std::string& message);

// The same: a memory without tiles, and the least that has some.
[[noreturn]] void refuse_memory(std::uint64_t memory_bytes, Count least_tile_bytes);

}  // namespace disk
}  // namespace faro::inline v1
