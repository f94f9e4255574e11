#include "disk/chunk_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "disk/crc32c.hpp"
#include "faro/base/error.hpp"

#ifdef FARO_HAS_ZSTD
#include <zstd.h>
#endif
#ifdef FARO_HAS_BLOSC
#include <blosc.h>
#endif
#ifdef FARO_HAS_ZLIB
#include <zlib.h>
#endif
#ifdef FARO_HAS_LZ4
#include <lz4.h>
#endif

namespace faro::inline v1::disk {
namespace {

constexpr std::size_t checksum_bytes = 4;

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

[[noreturn]] void wrong(const std::string& name, const std::string& what) {
  throw Error(ErrorCode::environment, fmt::format("{}: {}", name, what));
}

std::uint32_t little_32(ByteSpan bytes) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  return word;
}
void put_little_32(std::uint32_t word, std::byte* to) {
  for (std::size_t i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(word >> (8 * i));
}

ByteSpan without_checksum(ByteSpan bytes, const std::string& name) {
  if (bytes.size() < checksum_bytes) wrong(name, "is too short for its checksum");
  const ByteSpan content = bytes.first(bytes.size() - checksum_bytes);
  if (crc32c(content) != little_32(bytes.last(checksum_bytes)))
    wrong(name, "its checksum is wrong");
  return content;
}

// Each makes at most `to` of what is encoded, and returns how much.
#ifdef FARO_HAS_ZSTD
// Made once for each thread: making one costs as much as a chunk of some KiB.
struct ZstdContexts {
  struct End {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, End> encoding;
  std::unique_ptr<ZSTD_DCtx, End> decoding;
};
thread_local ZstdContexts zstd_contexts;

std::size_t zstd_decoded(ByteSpan from, std::span<std::byte> to, const std::string& name) {
  auto& context = zstd_contexts.decoding;
  if (!context) context.reset(ZSTD_createDCtx());
  if (!context) throw std::bad_alloc();
  const std::size_t got =
      ZSTD_decompressDCtx(context.get(), to.data(), to.size(), from.data(), from.size());
  if (ZSTD_isError(got) != 0)
    wrong(name, fmt::format("is no zstd of a chunk: {}", ZSTD_getErrorName(got)));
  return got;
}

Bytes zstd_encoded(ByteSpan from, const ChunkCodec& codec) {
  Bytes to(ZSTD_compressBound(from.size()));
  auto& context = zstd_contexts.encoding;
  if (!context) context.reset(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, codec.level);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, codec.checksum ? 1 : 0);
  const std::size_t got =
      ZSTD_compress2(context.get(), to.data(), to.size(), from.data(), from.size());
  if (ZSTD_isError(got) != 0)
    throw Error(ErrorCode::environment, fmt::format("zstd: {}", ZSTD_getErrorName(got)));
  to.resize(got);
  return to;
}
#endif

#ifdef FARO_HAS_BLOSC
// libblosc counts in int.
constexpr std::uint64_t blosc_bytes_max = std::uint64_t{INT32_MAX} - 16;

std::size_t blosc_decoded(ByteSpan from, std::span<std::byte> to, const std::string& name) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(from.data(), from.size(), &size) != 0 || size > to.size())
    wrong(name, "is no blosc of a chunk");
  const int got = blosc_decompress_ctx(from.data(), to.data(), to.size(), 1);
  if (got < 0 || static_cast<std::size_t>(got) != size) wrong(name, "is no blosc of a chunk");
  return size;
}

Bytes blosc_encoded(ByteSpan from, const ChunkCodec& codec) {
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

#ifdef FARO_HAS_ZLIB
// zlib counts in 32 bits, so that what is longer comes in parts.
constexpr std::size_t zlib_part_max = std::size_t{1} << 30U;
constexpr int zlib_window = 15;
constexpr int gzip_window = zlib_window + 16;

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};
struct DeflateEnd {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

// Of gzip any number of members after one another is one content.
std::size_t inflated(ByteSpan from, std::span<std::byte> to, int window, const std::string& name) {
  z_stream stream = {};
  if (inflateInit2(&stream, window) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, InflateEnd> end(&stream);
  std::size_t read = 0;
  std::size_t written = 0;
  for (;;) {
    const auto in = static_cast<uInt>(std::min(from.size() - read, zlib_part_max));
    const auto out = static_cast<uInt>(std::min(to.size() - written, zlib_part_max));
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data() + read));
    stream.avail_in = in;
    // Where nothing more fits, the end of the content must still be found.
    Bytef beyond = 0;
    stream.next_out = out == 0 ? &beyond : reinterpret_cast<Bytef*>(to.data() + written);
    stream.avail_out = out == 0 ? 1 : out;
    const int result = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    const uInt made = (out == 0 ? 1 : out) - stream.avail_out;
    if (out == 0 && made != 0) wrong(name, "is longer than a chunk when decompressed");
    written += made;
    if (result == Z_STREAM_END) {
      if (read == from.size()) return written;
      if (window != gzip_window || inflateReset(&stream) != Z_OK)
        wrong(name, "something follows the compressed chunk");
    } else if (result != Z_OK) {
      wrong(name, fmt::format("is no compressed chunk: {}",
                              stream.msg != nullptr ? stream.msg : "it is cut short"));
    }
  }
}

Bytes deflated(ByteSpan from, int level, int window) {
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  const std::unique_ptr<z_stream, DeflateEnd> end(&stream);
  Bytes to(deflateBound(&stream, from.size()));
  std::size_t read = 0;
  std::size_t written = 0;
  for (;;) {
    const auto in = static_cast<uInt>(std::min(from.size() - read, zlib_part_max));
    const auto out = static_cast<uInt>(std::min(to.size() - written, zlib_part_max));
    stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data() + read));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef*>(to.data() + written);
    stream.avail_out = out;
    const int result = deflate(&stream, read + in == from.size() ? Z_FINISH : Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
    if (result == Z_STREAM_END) break;
    if (result != Z_OK) throw Error(ErrorCode::environment, "zlib does not compress here");
  }
  to.resize(written);
  return to;
}
#endif

#ifdef FARO_HAS_LZ4
// As numcodecs writes it: the length in front.
std::size_t lz4_decoded(ByteSpan from, std::span<std::byte> to, const std::string& name) {
  if (from.size() < 4 || from.size() - 4 > LZ4_MAX_INPUT_SIZE) wrong(name, "is no LZ4 of a chunk");
  const std::uint32_t size = little_32(from);
  if (size > to.size() || size > LZ4_MAX_INPUT_SIZE)
    wrong(name, "is longer than a chunk when decompressed");
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(from.data() + 4),
                                      reinterpret_cast<char*>(to.data()),
                                      static_cast<int>(from.size() - 4), static_cast<int>(size));
  if (got < 0 || static_cast<std::uint32_t>(got) != size) wrong(name, "is no LZ4 of a chunk");
  return size;
}

Bytes lz4_encoded(ByteSpan from, const ChunkCodec& codec) {
  if (from.size() > LZ4_MAX_INPUT_SIZE)
    throw Error(ErrorCode::limit, "LZ4 takes chunks of less than 2 GiB");
  const auto size = static_cast<int>(from.size());
  Bytes to(4 + static_cast<std::size_t>(LZ4_compressBound(size)));
  put_little_32(static_cast<std::uint32_t>(size), to.data());
  const int got = LZ4_compress_fast(reinterpret_cast<const char*>(from.data()),
                                    reinterpret_cast<char*>(to.data() + 4), size,
                                    static_cast<int>(to.size() - 4), codec.level);
  if (got <= 0) throw Error(ErrorCode::environment, "LZ4 does not compress here");
  to.resize(4 + static_cast<std::size_t>(got));
  return to;
}
#endif

// Of any but crc32c.
std::size_t decoded_once(ByteSpan from, [[maybe_unused]] std::span<std::byte> to,
                         const ChunkCodec& codec, [[maybe_unused]] const std::string& name) {
  switch (codec.kind) {
    case ChunkCodec::Kind::crc32c:
      break;
#ifdef FARO_HAS_ZSTD
    case ChunkCodec::Kind::zstd:
      return zstd_decoded(from, to, name);
#endif
#ifdef FARO_HAS_BLOSC
    case ChunkCodec::Kind::blosc:
      return blosc_decoded(from, to, name);
#endif
#ifdef FARO_HAS_ZLIB
    case ChunkCodec::Kind::gzip:
      return inflated(from, to, gzip_window, name);
    case ChunkCodec::Kind::zlib:
      return inflated(from, to, zlib_window, name);
#endif
#ifdef FARO_HAS_LZ4
    case ChunkCodec::Kind::lz4:
      return lz4_decoded(from, to, name);
#endif
    default:
      break;
  }
  require_built(codec);
  return from.size();
}

Bytes encoded_once(ByteSpan from, const ChunkCodec& codec) {
  switch (codec.kind) {
    case ChunkCodec::Kind::crc32c: {
      Bytes bytes(from.size() + checksum_bytes);
      std::copy(from.begin(), from.end(), bytes.begin());
      put_little_32(crc32c(from), bytes.data() + from.size());
      return bytes;
    }
#ifdef FARO_HAS_ZSTD
    case ChunkCodec::Kind::zstd:
      return zstd_encoded(from, codec);
#endif
#ifdef FARO_HAS_BLOSC
    case ChunkCodec::Kind::blosc:
      return blosc_encoded(from, codec);
#endif
#ifdef FARO_HAS_ZLIB
    case ChunkCodec::Kind::gzip:
      return deflated(from, codec.level, gzip_window);
    case ChunkCodec::Kind::zlib:
      return deflated(from, codec.level, zlib_window);
#endif
#ifdef FARO_HAS_LZ4
    case ChunkCodec::Kind::lz4:
      return lz4_encoded(from, codec);
#endif
    default:
      break;
  }
  require_built(codec);
  return {from.begin(), from.end()};
}

std::uint64_t bound_once(std::uint64_t bytes, const ChunkCodec& codec) {
  // zstd and lz4: 1/255 and a little more for short ones; zlib less; blosc: 16 bytes.
  return codec.kind == ChunkCodec::Kind::crc32c ? bytes + checksum_bytes
                                                : bytes + (bytes >> 7U) + 1024;
}

struct BuiltCodec {
  ChunkCodec::Kind kind;
  const char* name;
  const char* library;
  bool built;
};
#ifdef FARO_HAS_ZSTD
constexpr bool has_zstd = true;
#else
constexpr bool has_zstd = false;
#endif
#ifdef FARO_HAS_BLOSC
constexpr bool has_blosc = true;
#else
constexpr bool has_blosc = false;
#endif
#ifdef FARO_HAS_ZLIB
constexpr bool has_zlib = true;
#else
constexpr bool has_zlib = false;
#endif
#ifdef FARO_HAS_LZ4
constexpr bool has_lz4 = true;
#else
constexpr bool has_lz4 = false;
#endif
constexpr BuiltCodec all_codecs[] = {
    {ChunkCodec::Kind::zstd, "zstd", "libzstd", has_zstd},
    {ChunkCodec::Kind::gzip, "gzip", "zlib", has_zlib},
    {ChunkCodec::Kind::blosc, "blosc", "libblosc", has_blosc},
    {ChunkCodec::Kind::zlib, "zlib", "zlib", has_zlib},
    {ChunkCodec::Kind::lz4, "lz4", "liblz4", has_lz4},
};

}  // namespace

std::string built_codecs() {
  std::string names;
  for (const BuiltCodec& codec : all_codecs)
    if (codec.built) names += (names.empty() ? "" : ", ") + std::string(codec.name);
  return names;
}

void require_built(const ChunkCodec& codec) {
  for (const BuiltCodec& one : all_codecs)
    if (one.kind == codec.kind && !one.built)
      throw Error(ErrorCode::impossible,
                  fmt::format("the codec '{}' is not built in: this program was built without {}",
                              one.name, one.library));
}

CodecChain::CodecChain(std::vector<ChunkCodec> codecs) : codecs_(std::move(codecs)) {
  for (const ChunkCodec& codec : codecs_) require_built(codec);
}

std::uint64_t CodecChain::bound(std::uint64_t bytes, std::span<const ChunkCodec> codecs) {
  for (const ChunkCodec& codec : codecs) bytes = bound_once(bytes, codec);
  return bytes;
}

void CodecChain::decode(ByteSpan encoded, std::span<std::byte> to, const std::string& name) const {
  // What each step may grow to, so that a damaged chunk takes no more memory than a sound one.
  std::vector<std::uint64_t> sizes{to.size()};
  for (const ChunkCodec& codec : codecs_) sizes.push_back(bound_once(sizes.back(), codec));
  Bytes held;
  for (std::size_t i = codecs_.size(); i-- > 0;) {
    if (codecs_[i].kind == ChunkCodec::Kind::crc32c) {
      encoded = without_checksum(encoded, name);
      continue;
    }
    Bytes made(i == 0 ? 0 : sizes[i]);
    const std::span<std::byte> into = i == 0 ? to : std::span(made);
    encoded = ByteSpan(into).first(decoded_once(encoded, into, codecs_[i], name));
    held.swap(made);
  }
  if (encoded.size() != to.size())
    wrong(name, fmt::format("holds {} bytes where a chunk has {}", encoded.size(), to.size()));
  if (encoded.data() != to.data()) std::copy(encoded.begin(), encoded.end(), to.begin());
}

Bytes CodecChain::encode(ByteSpan from) const {
  if (codecs_.empty()) return {from.begin(), from.end()};
  Bytes bytes = encoded_once(from, codecs_[0]);
  for (std::size_t i = 1; i < codecs_.size(); ++i) bytes = encoded_once(bytes, codecs_[i]);
  return bytes;
}

}  // namespace faro::inline v1::disk
