// What the zarr.json of an array of Zarr version 3 says, and what is written there.
//
//   {"zarr_format": 3, "node_type": "array", "shape": [64, 64], "data_type": "float64",
//    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [16, 32]}},
//    "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
//    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
//
// Every length is a power of two here, so that where an element lies is a permutation of the bits
// of its index: the number of the shard, the chunk within it, the place within that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disk/chunk_codec.hpp"
#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::disk {

struct ZarrArray {
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> shards;  // what a file holds; the chunks where there are no shards
  std::vector<std::uint64_t> chunks;
  bool sharded = false;
  CodecChain codecs;
  bool index_first = false;
  bool index_checksum = true;
  std::uint64_t element_bytes = 1;
  std::string key_prefix = "c/";
  char key_separator = '/';
  // Of a chunk that is not there; empty where it is not known how to write it.
  std::vector<std::byte> fill;
  std::string text;  // the whole document

  std::uint64_t elements() const;
  std::uint64_t data_bytes() const { return elements() * element_bytes; }
  std::uint64_t chunk_bytes() const;
  std::uint64_t shard_bytes() const;
  std::uint64_t index_bytes() const;
  // From the index in C order to the place in storage.
  BitMap layout() const;
  // "c/0/3" of the i-th file.
  std::string key(std::uint64_t i) const;
};

// `name` is for messages. Throws Error(usage) for what is no such array, Error(impossible) for what
// is one but cannot be moved: other lengths than powers of two, codecs that are not known.
ZarrArray parse_zarr(std::string_view text, const std::string& name);

// What an array is to become; what is left out stays as it is.
struct ZarrChanges {
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> chunks;
  std::vector<std::uint64_t> shards;
  std::optional<std::string> codec;  // "none", "zstd", "blosc"
  bool keeps_names = true;           // of the dimensions
};
ZarrArray changed(const ZarrArray& array, const ZarrChanges& changes);

}  // namespace faro::inline v1::disk
