// Rearranges a Zarr array (version 3, a folder), however large, within a cap of memory: permuting,
// transposing and cutting it into other chunks, all in one.
//
//   permute_zarr("a.zarr", "b.zarr", say("r:14 c:14 -> c r").map.as_bits(),
//                {.chunks = {1024, 1024}}, {.plan = {.memory_bytes = bit(31)}});
//
// Where elements lie in chunks of powers of two is a permutation of index bits, so that storage to
// storage is one affine map, and passes are counted as for any file (docs/disk.md). Chunks may be
// in shards, and encoded with crc32c, zstd and blosc, where those are built in. What is said in
// permute_file.hpp of input, output, journal and resume_file() holds here; the output must not be
// there yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "faro/disk/permute_file.hpp"

namespace faro::inline v1 {

// What is left out stays as it is in the input.
struct ZarrOptions {
  std::vector<std::uint64_t> shape = {};  // as many elements
  std::vector<std::uint64_t> chunks = {};
  std::vector<std::uint64_t> shards = {};  // of several chunks each
  std::optional<std::string> codec = {};   // "none", "zstd", "blosc"
};

// True for a folder that has a zarr.json.
bool is_zarr(const std::string& path);
std::vector<std::uint64_t> zarr_shape(const std::string& path);

// The map acts on the array in C order; one of no bits means the identity. Of `options` the start
// bytes must be left out.
FilePermutePlan plan_zarr(const std::string& in, const BitMap& map, const ZarrOptions& zarr,
                          const FilePlanOptions& options);
PermuteFileReport permute_zarr(const std::string& in, const std::string& out, const BitMap& map,
                               const ZarrOptions& zarr, const PermuteFileOptions& options = {});

}  // namespace faro::inline v1
