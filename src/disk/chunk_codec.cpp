#include "disk/chunk_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "disk/crc32c.hpp"
#include "faro/base/error.hpp"

#ifdef FARO_HAS_ZSTD
#include <zstd.h>
#endif
#ifdef FARO_HAS_BLOSC
#include <blosc.h>
#endif

namespace faro::inline v1::disk {
namespace {

constexpr std::size_t checksum_bytes = 4;

using Bytes = std::vector<std::byte>;

[[noreturn]] void wrong(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::environment, fmt::format("{}: {}", name, what));
}

Bytes without_checksum(Bytes bytes, const std::string& name) {
  if (bytes.size() < checksum_bytes) wrong(name, "is too short for its checksum");
  const std::size_t size = bytes.size() - checksum_bytes;
  std::uint32_t stated = 0;
  for (std::size_t i = 0; i < checksum_bytes; ++i)
    stated |= std::to_integer<std::uint32_t>(bytes[size + i]) << (8 * i);
  bytes.resize(size);
  if (crc32c(std::span<const std::byte>(bytes)) != stated) wrong(name, "its checksum is wrong");
  return bytes;
}

void add_checksum(Bytes& bytes) {
  const std::uint32_t sum = crc32c(std::span<const std::byte>(bytes));
  for (std::size_t i = 0; i < checksum_bytes; ++i)
    bytes.push_back(static_cast<std::byte>(sum >> (8 * i)));
}

#ifdef FARO_HAS_ZSTD
Bytes zstd_decoded(const Bytes& bytes, std::uint64_t bytes_max, const std::string& name) {
  Bytes to(bytes_max);
  const std::size_t got = ZSTD_decompress(to.data(), to.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0)
    wrong(name, fmt::format("is no zstd of a chunk: {}", ZSTD_getErrorName(got)));
  to.resize(got);
  return to;
}

Bytes zstd_encoded(std::span<const std::byte> from, const ChunkCodec& codec) {
  Bytes to(ZSTD_compressBound(from.size()));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  if (context == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, codec.level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, codec.checksum ? 1 : 0);
  const std::size_t got = ZSTD_compress2(context, to.data(), to.size(), from.data(), from.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(got) != 0)
    throw Error(ErrorCode::environment, fmt::format("zstd: {}", ZSTD_getErrorName(got)));
  to.resize(got);
  return to;
}
#endif

#ifdef FARO_HAS_BLOSC
// libblosc counts in int.
constexpr std::uint64_t blosc_bytes_max = std::uint64_t{INT32_MAX} - 16;

Bytes blosc_decoded(const Bytes& bytes, std::uint64_t bytes_max, const std::string& name) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(bytes.data(), bytes.size(), &size) != 0 || size > bytes_max)
    wrong(name, "is no blosc of a chunk");
  Bytes to(size);
  const int got = blosc_decompress_ctx(bytes.data(), to.data(), to.size(), 1);
  if (got < 0 || static_cast<std::size_t>(got) != size) wrong(name, "is no blosc of a chunk");
  return to;
}

Bytes blosc_encoded(std::span<const std::byte> from, const ChunkCodec& codec) {
  if (from.size() > blosc_bytes_max)
    throw Error(ErrorCode::limit, "blosc takes chunks of less than 2 GiB");
  Bytes to(from.size() + BLOSC_MAX_OVERHEAD);
  const int got =
      blosc_compress_ctx(codec.level, codec.shuffle, codec.type_bytes, from.size(), from.data(),
                         to.data(), to.size(), codec.blosc_name.c_str(), codec.block_bytes, 1);
  if (got <= 0)
    throw Error(ErrorCode::environment,
                fmt::format("blosc: '{}' does not compress here", codec.blosc_name));
  to.resize(static_cast<std::size_t>(got));
  return to;
}
#endif

Bytes decoded_once(Bytes bytes, const ChunkCodec& codec, [[maybe_unused]] std::uint64_t bytes_max,
                   const std::string& name) {
  switch (codec.kind) {
    case ChunkCodec::Kind::crc32c:
      return without_checksum(std::move(bytes), name);
    case ChunkCodec::Kind::zstd:
#ifdef FARO_HAS_ZSTD
      return zstd_decoded(bytes, bytes_max, name);
#else
      break;
#endif
    case ChunkCodec::Kind::blosc:
#ifdef FARO_HAS_BLOSC
      return blosc_decoded(bytes, bytes_max, name);
#else
      break;
#endif
  }
  require_built(codec);
  return bytes;
}

Bytes encoded_once(Bytes bytes, const ChunkCodec& codec) {
  switch (codec.kind) {
    case ChunkCodec::Kind::crc32c:
      add_checksum(bytes);
      return bytes;
    case ChunkCodec::Kind::zstd:
#ifdef FARO_HAS_ZSTD
      return zstd_encoded(bytes, codec);
#else
      break;
#endif
    case ChunkCodec::Kind::blosc:
#ifdef FARO_HAS_BLOSC
      return blosc_encoded(bytes, codec);
#else
      break;
#endif
  }
  require_built(codec);
  return bytes;
}

std::uint64_t bound_once(std::uint64_t bytes, const ChunkCodec& codec) {
  // zstd: 1/256 and a little more for short ones; blosc: 16 bytes.
  return codec.kind == ChunkCodec::Kind::crc32c ? bytes + checksum_bytes
                                                : bytes + (bytes >> 7U) + 1024;
}

}  // namespace

std::string built_codecs() {
  std::string names;
#ifdef FARO_HAS_ZSTD
  names += "zstd";
#endif
#ifdef FARO_HAS_BLOSC
  names += names.empty() ? "blosc" : ", blosc";
#endif
  return names;
}

void require_built(const ChunkCodec& codec) {
  const auto refuse = [](const char* name, const char* package) {
    throw Error(ErrorCode::impossible,
                fmt::format("the codec '{}' is not built in: this program was built without {}",
                            name, package));
  };
#ifndef FARO_HAS_ZSTD
  if (codec.kind == ChunkCodec::Kind::zstd) refuse("zstd", "libzstd");
#endif
#ifndef FARO_HAS_BLOSC
  if (codec.kind == ChunkCodec::Kind::blosc) refuse("blosc", "libblosc");
#endif
  static_cast<void>(codec);
  static_cast<void>(refuse);
}

CodecChain::CodecChain(std::vector<ChunkCodec> codecs) : codecs_(std::move(codecs)) {
  for (const ChunkCodec& codec : codecs_) require_built(codec);
}

std::uint64_t CodecChain::bound(std::uint64_t bytes) const {
  for (const ChunkCodec& codec : codecs_) bytes = bound_once(bytes, codec);
  return bytes;
}

void CodecChain::decode(Bytes encoded, std::span<std::byte> to, const std::string& name) const {
  // What each step may grow to, so that a damaged chunk takes no more memory than a sound one.
  std::vector<std::uint64_t> sizes{to.size()};
  for (const ChunkCodec& codec : codecs_) sizes.push_back(bound_once(sizes.back(), codec));
  for (std::size_t i = codecs_.size(); i-- > 0;)
    encoded = decoded_once(std::move(encoded), codecs_[i], sizes[i], name);
  if (encoded.size() != to.size())
    wrong(name, fmt::format("holds {} bytes where a chunk has {}", encoded.size(), to.size()));
  std::memcpy(to.data(), encoded.data(), to.size());
}

Bytes CodecChain::encode(std::span<const std::byte> from) const {
  Bytes bytes(from.begin(), from.end());
  for (const ChunkCodec& codec : codecs_) bytes = encoded_once(std::move(bytes), codec);
  return bytes;
}

}  // namespace faro::inline v1::disk
