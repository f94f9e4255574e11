// Where the chunks of a shard lie in its file.
//
//   4 chunks, the second absent:   (0, 10) (2^64 - 1, 2^64 - 1) (10, 7) (17, 9)   (offset, bytes)
//
// Two numbers of 8 bytes for each chunk that a shard has by its nominal shape, in C order, also
// where it hangs over the end of the array; 2^64 - 1 twice says that there is no such chunk; then
// perhaps a CRC-32C. Chunks may lie anywhere, in any order, and even on one another.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "disk/stored/array_form.hpp"

namespace faro::inline v1::disk {

struct ShardEntry {
  std::uint64_t offset = UINT64_MAX;
  std::uint64_t bytes = UINT64_MAX;

  bool is_absent() const { return offset == UINT64_MAX && bytes == UINT64_MAX; }
  friend bool operator==(const ShardEntry&, const ShardEntry&) = default;
};
using ShardIndex = std::vector<ShardEntry>;

std::uint64_t index_bytes(const ShardForm& form, std::uint64_t chunks);
// Of a shard of `shard_bytes`, whose chunks have at most `chunk_bytes_max`. Throws
// Error(environment) with `name` in front.
ShardIndex read_index(std::span<const std::byte> content, const ShardForm& form,
                      std::uint64_t shard_bytes, std::uint64_t chunk_bytes_max,
                      const std::string& name);
std::vector<std::byte> index_content(const ShardIndex& index, const ShardForm& form);

}  // namespace faro::inline v1::disk
