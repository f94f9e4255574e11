// What a chunk of a Zarr array looks like in its file: its elements, then any of
//
//   crc32c                4 bytes with the CRC-32C of what is before, always verified
//   gzip, zlib            compressed, where the program was built with zlib
//   zstd, blosc, lz4      likewise with libzstd, libblosc, liblz4
//
// one after another. A codec that is not built in is refused by name when the array is opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace faro::inline v1::disk {

struct ChunkCodec {
  enum class Kind { crc32c, zstd, gzip, blosc, zlib, lz4 };
  Kind kind = Kind::crc32c;
  int level = 0;
  bool checksum = false;        // of zstd
  std::string blosc_name = {};  // "lz4", ...
  int shuffle = 0;              // of blosc: none, bytes, bits
  std::uint64_t type_bytes = 1;
  std::uint64_t block_bytes = 0;
  friend bool operator==(const ChunkCodec&, const ChunkCodec&) = default;
};

// "zstd, gzip, ...", as built; "" for none.
std::string built_codecs();
// Throws Error(impossible) naming a codec that is not built in.
void require_built(const ChunkCodec& codec);

class CodecChain {
 public:
  CodecChain() = default;
  explicit CodecChain(std::vector<ChunkCodec> codecs);

  const std::vector<ChunkCodec>& codecs() const { return codecs_; }
  // Every chunk of `bytes` has the same length in its file, and element i is at byte i of it.
  bool is_plain() const { return codecs_.empty(); }
  // No encoded chunk of `bytes` is longer.
  static std::uint64_t bound(std::uint64_t bytes, std::span<const ChunkCodec> codecs);
  std::uint64_t bound(std::uint64_t bytes) const { return bound(bytes, codecs_); }
  // `name` is for messages. Throws Error(environment) where the content is not what it should be,
  // which must become exactly `to`.
  void decode(std::span<const std::byte> encoded, std::span<std::byte> to,
              const std::string& name) const;
  std::vector<std::byte> encode(std::span<const std::byte> from) const;

 private:
  std::vector<ChunkCodec> codecs_;
};

}  // namespace faro::inline v1::disk
