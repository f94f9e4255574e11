// `faro permute --tiles A..B`: a part of the work, which several processes share.
#pragma once

#include "cli/output.hpp"
#include "cli/permute_disk.hpp"
#include "faro/disk/permute_file.hpp"

namespace faro::cli {

// What --pass and --tiles say. What the passes are depends on the memory, so that all who share a
// file must say it.
FilePermutePlan::Tiles tiles_of(const DiskOptions& options, const FilePlanFacts& plan);
void tell_tiles(const FileTilesReport& report, const FilePermutePlan::Tiles& tiles,
                const DiskRequest& request, Output& out);

}  // namespace faro::cli
