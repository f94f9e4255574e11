// Several processes, on one machine or many, rearrange one file on a file system that they share.
//
//   permute_file_tiles("big.raw", "out.raw", map, {.element_bytes = 8},
//                      {.pass = 0, .first = 0, .count = 512}, {.plan = {.memory_bytes = bit(31)}});
//
// The plan depends on nothing but map, shape and options, so that all who say the same have the
// same one; FilePermutePlan says how many passes and tiles it has. Each performs ranges of tiles,
// in any order. A range is on the disk before a note of it appears in the folder .OUT.faro-shared
// beside the output; one that was stopped is done again, by anyone. A pass begins when every tile
// of the one before is noted. Whoever notes the last tile of the last pass gives the output its
// name; until then it is what it was, or absent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "faro/disk/permute_file.hpp"

namespace faro::inline v1 {

struct TileRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};

struct FileTilesReport {
  FilePlanFacts plan = {};
  FileCounts counts = {};
  std::vector<TileRange> missing = {};  // tiles of this pass that nobody has noted
  bool complete = false;                // the output has its name
  double seconds = 0;
};

// Throws Error(usage) where the plan has no such tiles, an earlier pass is not complete, or another
// request for this output was begun; Error(environment) for what the system refuses. Of the options
// `temporary_folder` and `verify` must be left out: what is shared lies beside the output, and
// nobody sees all of it.
FileTilesReport permute_file_tiles(const std::string& in, const std::string& out, const Map& map,
                                   const PermuteShape& shape, const FilePermutePlan::Tiles& tiles,
                                   const PermuteFileOptions& options = {});

}  // namespace faro::inline v1
