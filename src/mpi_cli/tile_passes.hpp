// An array in one file, larger than all ranks' memory, moved by passes over tiles
// (faro/disk/permute_file.hpp): each rank reads, permutes and writes its share of the tiles of
// a pass, and all meet before the next. No messages: the file system carries the data.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "faro/disk/permute_file.hpp"
#include "faro/files/array_file.hpp"
#include "mpi/communicator.hpp"

namespace faro::mpi_cli {

struct TilePasses {
  FilePermutePlan plan;
  BitMap map;
  std::string in, out;
  std::uint64_t start = 0;  // of the elements of `in`
  NpyHeader header;         // of both
  bool verify = false;
};

// The plan within so much memory of a rank, or nothing where that holds no three tiles.
std::optional<FilePermutePlan> tiles_within(const BitMap& map, std::uint64_t element_bytes,
                                            std::uint64_t memory_bytes);

// Collective; throws AgreedError. OUT appears when it is complete. False if fingerprints of
// elements and places differ: then nothing was written. `told` in bytes of this rank's share.
using Told = std::function<void(std::uint64_t done, std::uint64_t total)>;
bool permute_by_tiles(const mpi::Communicator& ranks, const TilePasses& job, const Told& told);

}  // namespace faro::mpi_cli
