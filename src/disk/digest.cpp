// The digest of an array's content: a sum over elements, so that parts add up in any order.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>

#include "base/check.hpp"
#include "base/count_format.hpp"
#include "base/sha256.hpp"
#include "disk/digest_kernels.hpp"
#include "faro/base/error.hpp"
#include "faro/disk/rechunk.hpp"

namespace faro::inline v1 {
namespace {

using disk::digest_block_words;
using disk::digest_limb_bits;
using disk::digest_limbs;
using disk::Wide;

static_assert(std::endian::native == std::endian::little, "words are loaded as they lie");

constexpr std::uint64_t word_bytes = 8;

// Numbers below p = 2^127 - 1.
constexpr Wide digest_p = (Wide{1} << 127U) - 1;
// The first 127 bits of SHA-256("faro-digest/1"), which generate all numbers from 1 to p - 1.
constexpr Wide digest_r = (Wide{0x371b37f78b9801eeU} << 64U) | 0xdc8ce27f41fd7576U;

constexpr Wide reduced(Wide x) {
  x = (x & digest_p) + (x >> 127U);
  return x >= digest_p ? x - digest_p : x;
}
constexpr Wide sum(Wide a, Wide b) {
  return reduced(a + b);
}
constexpr Wide times(Wide a, Wide b) {
  const auto a0 = static_cast<std::uint64_t>(a);
  const auto a1 = static_cast<std::uint64_t>(a >> 64U);
  const auto b0 = static_cast<std::uint64_t>(b);
  const auto b1 = static_cast<std::uint64_t>(b >> 64U);
  const Wide first = Wide{a0} * b0;
  const Wide middle = (Wide{a0} * b1) + (Wide{a1} * b0);  // below 2^128: a1 and b1 have 63 bits
  const Wide low = first + (middle << 64U);
  const Wide high = (Wide{a1} * b1) + (middle >> 64U) + (low < first ? 1 : 0);  // below 2^126
  // 2^128 is 2.
  return sum(reduced(low), reduced(high << 1U));
}
constexpr Wide power(Wide base, Wide exponent) {
  Wide x = 1;
  for (; exponent != 0; exponent >>= 1U, base = times(base, base))
    if ((exponent & 1U) != 0) x = times(x, base);
  return x;
}
// x 2^by, by below 127: bits that leave at the top come in at the bottom.
constexpr Wide turned(Wide x, unsigned by) {
  return by == 0 ? x : reduced(((x << by) & digest_p) + (x >> (127U - by)));
}

void put_limbs(Wide x, std::size_t at, disk::DigestTable& to) {
  for (std::size_t j = 0; j < digest_limbs; ++j)
    to.limb[j][at] = static_cast<std::uint64_t>(x >> (digest_limb_bits * j)) &
                     ((std::uint64_t{1} << digest_limb_bits) - 1);
}

struct PowerTables {
  disk::DigestTable block;
  Wide whole_block;      // r^256
  Wide of_byte[8][256];  // r^(b 256^k)
  Wide of_word[digest_block_words];

  PowerTables() {
    Wide x = 1;
    for (std::size_t i = 0; i < digest_block_words; ++i, x = times(x, digest_r)) {
      of_word[i] = x;
      put_limbs(x, i, block);
    }
    whole_block = x;
    Wide base = digest_r;
    for (auto& row : of_byte) {
      row[0] = 1;
      for (std::size_t b = 1; b < 256; ++b) row[b] = times(row[b - 1], base);
      base = times(row[255], base);
    }
  }
};

const PowerTables& tables() {
  static const PowerTables made;
  return made;
}

Wide power_of_r(std::uint64_t exponent) {
  Wide x = 1;
  for (std::size_t k = 0; exponent != 0; ++k, exponent >>= 8U)
    if ((exponent & 0xffU) != 0) x = times(x, tables().of_byte[k][exponent & 0xffU]);
  return x;
}

// Sums of limbs are below 2^58 times the words of a block: 2^66.
Wide joined(const Wide (&limbs)[digest_limbs]) {
  Wide x = 0;
  for (std::size_t j = 0; j < digest_limbs; ++j)
    x = sum(x, turned(limbs[j], static_cast<unsigned>(digest_limb_bits * j)));
  return x;
}

Wide joined(const disk::DigestSums& sums) {
  return sum(joined(sums.low), turned(joined(sums.high), 32));
}

// w_0 + w_1 r + .. of at most a block.
Wide of_block(const disk::DigestKernel& kernel, const std::byte* from, std::size_t words) {
  disk::DigestSums sums;
  const std::size_t whole = words / kernel.lanes * kernel.lanes;
  kernel.sum(tables().block, 0, from, whole, sums);
  if (whole != words) {
    alignas(64) std::byte last[64] = {};
    std::memcpy(last, from + (whole * word_bytes), (words - whole) * word_bytes);
    kernel.sum(tables().block, whole, last, kernel.lanes, sums);
  }
  return joined(sums);
}

// Up to 8 bytes of one word, from its byte `place` on.
Wide of_part(std::uint64_t place, std::span<const std::byte> bytes) {
  std::uint64_t word = 0;
  if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
  return Wide{word} << (8 * place);
}

// Bytes that stand at first_byte, ...
Wide of_run(const disk::DigestKernel& kernel, std::uint64_t first_byte,
            std::span<const std::byte> bytes) {
  Wide share = 0;
  std::uint64_t index = first_byte / word_bytes;
  if (const std::uint64_t place = first_byte % word_bytes; place != 0) {
    const std::size_t head = std::min<std::size_t>(word_bytes - place, bytes.size());
    share = times(power_of_r(index), of_part(place, bytes.first(head)));
    bytes = bytes.subspan(head);
    ++index;
  }
  if (bytes.empty()) return share;
  Wide at = power_of_r(index);
  const std::byte* from = bytes.data();
  std::size_t words = bytes.size() / word_bytes;
  for (; words >= digest_block_words; words -= digest_block_words) {
    share = sum(share, times(at, of_block(kernel, from, digest_block_words)));
    at = times(at, tables().whole_block);
    from += digest_block_words * word_bytes;
  }
  Wide rest = words == 0 ? 0 : of_block(kernel, from, words);
  if (const std::size_t tail = bytes.size() % word_bytes; tail != 0)
    rest = sum(rest, times(tables().of_word[words], of_part(0, bytes.last(tail))));
  return rest == 0 ? share : sum(share, times(at, rest));
}

// Rows of a box along one of its axes: `count` of `bytes` each, `stride` apart in the array and
// `pitch` apart where they are held.
struct RowSeries {
  std::uint64_t bytes = 0;
  std::uint64_t count = 1;
  std::uint64_t stride = 0;
  std::uint64_t pitch = 0;
};

// Short rows: as many as fill a block go through the kernel at once, each word with the weight of
// its place, since what a row costs beside its words is more than those. Rows begin at any byte of
// a word; what is before and behind stays zero.
class ShortRows {
 public:
  ShortRows(const disk::DigestKernel& kernel, const RowSeries& rows, std::uint64_t element_bytes)
      : kernel_(kernel),
        rows_(rows),
        words_((rows.bytes + word_bytes - std::gcd(word_bytes, element_bytes) + word_bytes - 1) /
               word_bytes),
        at_once_(std::min(digest_block_words / words_, rows.count)) {}

  // Whether so many such series are worth the tables of weights, one for each byte of a word that
  // a block begins at.
  bool are_worth(std::uint64_t series) const {
    constexpr std::uint64_t words_of_a_table = 4 * digest_block_words;  // it costs about as much
    return at_once_ > 1 && series * rows_.count >= 8 * words_of_a_table / words_;
  }

  Wide share(std::uint64_t place, const std::byte* from) {
    Wide share = 0;
    for (std::uint64_t i = 0; i < rows_.count; i += at_once_) {
      const std::uint64_t count = std::min(at_once_, rows_.count - i);
      share = sum(share, of_rows(place + i * rows_.stride, from + i * rows_.pitch, count));
    }
    return share;
  }

 private:
  struct Block {
    disk::DigestTable weights{};
    alignas(64) std::byte words[digest_block_words * word_bytes] = {};
  };

  Block& block_at(std::uint64_t shift) {
    std::unique_ptr<Block>& block = blocks_[shift];
    if (block) return *block;
    block = std::make_unique<Block>();
    for (std::uint64_t j = 0; j < at_once_; ++j) {
      Wide x = power_of_r((shift + j * rows_.stride) / word_bytes);
      for (std::uint64_t i = 0; i < words_; ++i, x = times(x, digest_r))
        put_limbs(x, j * words_ + i, block->weights);
    }
    return *block;
  }

  Wide of_rows(std::uint64_t place, const std::byte* from, std::uint64_t count) {
    const std::uint64_t shift = place % word_bytes;
    Block& block = block_at(shift);
    std::byte* row = block.words;
    for (std::uint64_t j = 0; j < count; ++j, row += words_ * word_bytes, from += rows_.pitch)
      std::memcpy(row + (shift + j * rows_.stride) % word_bytes, from, rows_.bytes);
    const std::uint64_t words =
        (count * words_ + kernel_.lanes - 1) / kernel_.lanes * kernel_.lanes;
    std::fill(row, block.words + words * word_bytes, std::byte{0});
    disk::DigestSums sums;
    kernel_.sum(block.weights, 0, block.words, words, sums);
    return times(power_of_r(place / word_bytes), joined(sums));
  }

  const disk::DigestKernel& kernel_;
  RowSeries rows_;
  std::uint64_t words_;    // of a row, wherever it begins
  std::uint64_t at_once_;  // rows
  std::unique_ptr<Block> blocks_[word_bytes];
};

// 1 + q + .. + q^(n-1).
Wide geometric(Wide q, std::uint64_t n) {
  if (q == 1) return reduced(n);
  const Wide above = sum(power(q, n), digest_p - 1);
  return times(above, power(sum(q, digest_p - 1), digest_p - 2));
}

struct Rows {
  std::vector<std::uint64_t> stride;  // of the array, in bytes
  std::uint64_t first_byte = 0;
  Count bytes;
};

Rows rows_of(const ArrayBox& box) {
  const std::size_t axes = box.shape.size();
  if (box.start.size() != axes || box.extent.size() != axes || box.element_bytes == 0)
    throw Error(ErrorCode::usage, "a box has as many starts and extents as the array has axes");
  Rows rows{.stride = std::vector<std::uint64_t>(axes), .bytes = box.element_bytes};
  Count stride = box.element_bytes;
  for (std::size_t k = axes; k-- > 0;) {
    if (box.start[k] > box.shape[k] || box.extent[k] > box.shape[k] - box.start[k])
      throw Error(ErrorCode::usage, fmt::format("a box of {} from {} on axis {} of {}",
                                                box.extent[k], box.start[k], k, box.shape[k]));
    rows.stride[k] = static_cast<std::uint64_t>(stride);
    rows.first_byte += box.start[k] * rows.stride[k];
    rows.bytes *= box.extent[k];
    stride *= box.shape[k];
  }
  if (stride.high() != 0)
    throw Error(ErrorCode::limit, "digests are of arrays of less than 2^64 bytes");
  return rows;
}

Wide as_wide(const std::array<std::uint64_t, 2>& value) {
  return (Wide{value[0]} << 64U) | value[1];
}
std::array<std::uint64_t, 2> as_halves(Wide x) {
  return {static_cast<std::uint64_t>(x >> 64U), static_cast<std::uint64_t>(x)};
}

}  // namespace

Digest::Digest(Simd simd) : kernel_(&disk::digest_kernel(simd)) {}

void Digest::run(std::uint64_t first_byte, std::span<const std::byte> bytes) {
  value_ = as_halves(sum(as_wide(value_), of_run(*kernel_, first_byte, bytes)));
  bytes_ += bytes.size();
}

// Elements that are `period` apart begin at the same byte of a word: the weights of each such
// series are a geometric one.
void Digest::column(std::uint64_t first_byte, std::uint64_t stride_bytes,
                    std::uint64_t element_bytes, std::span<const std::byte> bytes) {
  FARO_CHECK(element_bytes != 0 && bytes.size() % element_bytes == 0);
  const std::uint64_t count = bytes.size() / element_bytes;
  Wide share = as_wide(value_);
  bytes_ += bytes.size();
  const auto crosses = [&](std::uint64_t byte) {
    return byte % word_bytes + element_bytes > word_bytes;
  };
  const std::uint64_t period = word_bytes / std::gcd(word_bytes, stride_bytes);
  const Wide ratio = power_of_r(period * stride_bytes / word_bytes);
  for (std::uint64_t j = 0; j < std::min(period, count); ++j) {
    const std::uint64_t byte = first_byte + j * stride_bytes;
    Wide at = power_of_r(byte / word_bytes);
    for (std::uint64_t i = j; i < count; i += period, at = times(at, ratio)) {
      const auto element = bytes.subspan(i * element_bytes, element_bytes);
      share = sum(share, crosses(byte) ? of_run(*kernel_, first_byte + i * stride_bytes, element)
                                       : times(at, of_part(byte % word_bytes, element)));
    }
  }
  value_ = as_halves(share);
}

void Digest::box(const ArrayBox& box, std::span<const std::byte> bytes,
                 std::span<const std::uint64_t> held) {
  const Rows rows = rows_of(box);
  if (!rows.bytes) return;
  const std::size_t axes = box.shape.size();
  if (held.empty()) held = box.extent;
  FARO_CHECK(held.size() == axes);
  // The axes from `joined` on are one run, in the array and where they are held.
  std::size_t joined = axes == 0 ? 0 : axes - 1;
  while (joined > 0 && box.extent[joined] == box.shape[joined] &&
         held[joined] == box.extent[joined])
    --joined;
  RowSeries series{.bytes =
                       axes == 0 ? box.element_bytes : box.extent[joined] * rows.stride[joined]};
  std::vector<RowSeries> outer;  // loops around the longest, which is the inner one
  std::uint64_t pitch = box.element_bytes;
  std::uint64_t around = 1;
  for (std::size_t k = axes; k-- > 0; pitch *= held[k]) {
    if (k >= joined) continue;
    outer.push_back({series.bytes, box.extent[k], rows.stride[k], pitch});
    if (outer.back().count > series.count) std::swap(outer.back(), series);
    around *= outer.back().count;
  }
  std::reverse(outer.begin(), outer.end());
  ShortRows several(*kernel_, series, box.element_bytes);
  const bool together = several.are_worth(around);
  std::vector<std::uint64_t> at(outer.size(), 0);
  Wide share = as_wide(value_);
  for (std::uint64_t place = rows.first_byte, from = 0;;) {
    FARO_CHECK(from + (series.count - 1) * series.pitch + series.bytes <= bytes.size());
    if (together) share = sum(share, several.share(place, bytes.data() + from));
    for (std::uint64_t i = 0; !together && i < series.count; ++i)
      share = sum(share, of_run(*kernel_, place + i * series.stride,
                                bytes.subspan(from + i * series.pitch, series.bytes)));
    std::size_t k = outer.size();
    for (; k > 0; --k) {
      const RowSeries& axis = outer[k - 1];
      place += axis.stride;
      from += axis.pitch;
      if (++at[k - 1] != axis.count) break;
      place -= axis.count * axis.stride;
      from -= axis.count * axis.pitch;
      at[k - 1] = 0;
    }
    if (k == 0) break;
  }
  value_ = as_halves(share);
  bytes_ += rows.bytes;
}

// One byte after another of the element, each with the sum of the weights of its places. From the
// last axis up: sum[m], over the axes so far, of the weights of bytes from byte m on. Steps of an
// axis that are `period` apart begin at the same byte of a word, so they are a geometric series.
void Digest::constant_box(const ArrayBox& box, std::span<const std::byte> element) {
  const Rows rows = rows_of(box);
  FARO_CHECK(element.size() == box.element_bytes);
  if (!rows.bytes) return;
  bytes_ += rows.bytes;
  if (std::all_of(element.begin(), element.end(), [](std::byte b) { return b == std::byte{0}; }))
    return;
  std::array<Wide, word_bytes> sums{};
  for (std::size_t m = 0; m < word_bytes; ++m) sums[m] = Wide{1} << (8 * m);
  for (std::size_t k = box.shape.size(); k-- > 0;) {
    const std::uint64_t stride = rows.stride[k];
    const std::uint64_t count = box.extent[k];
    const std::uint64_t period = word_bytes / std::gcd(word_bytes, stride);
    std::array<Wide, word_bytes> series{};
    const Wide ratio = power_of_r(period * stride / word_bytes);
    for (std::uint64_t j = 0; j < std::min(period, count); ++j)
      series[j] = geometric(ratio, (count - j + period - 1) / period);
    std::array<Wide, word_bytes> next{};
    for (std::size_t m = 0; m < word_bytes; ++m)
      for (std::uint64_t j = 0; j < std::min(period, count); ++j) {
        const std::uint64_t byte = m + (j * stride);
        next[m] = sum(next[m], times(times(power_of_r(byte / word_bytes), sums[byte % word_bytes]),
                                     series[j]));
      }
    sums = next;
  }
  Wide share = as_wide(value_);
  for (std::size_t b = 0; b < element.size(); ++b) {
    const std::uint64_t byte = rows.first_byte + b;
    const Wide weight = times(power_of_r(byte / word_bytes), sums[byte % word_bytes]);
    share = sum(share, times(weight, std::to_integer<std::uint64_t>(element[b])));
  }
  value_ = as_halves(share);
}

void Digest::add(const Digest& share) {
  value_ = as_halves(sum(as_wide(value_), as_wide(share.value_)));
  bytes_ += share.bytes_;
}

Digest Digest::from(const std::array<std::uint64_t, 2>& value, Count bytes) {
  if (as_wide(value) >= digest_p)
    throw Error(ErrorCode::usage, "a digest is a number below 2^127 - 1");
  Digest made;
  made.value_ = value;
  made.bytes_ = bytes;
  return made;
}

std::string Digest::hex() const {
  return fmt::format("{:016x}{:016x}", value_[0], value_[1]);
}

std::string Digest::published(std::string_view data_type, std::span<const std::uint64_t> shape,
                              std::uint64_t element_bytes) const {
  Count wanted = element_bytes;
  std::string lengths;
  for (const std::uint64_t length : shape) {
    wanted *= length;
    lengths += fmt::format("{}{}", lengths.empty() ? "" : "x", length);
  }
  if (wanted != bytes_)
    throw Error(ErrorCode::refused,
                fmt::format("a digest over {} bytes of an array of {}", bytes_, wanted));
  const std::string line =
      fmt::format("faro-digest/1 {} {} {}\n", data_type, lengths.empty() ? "-" : lengths, hex());
  return "fd1:" + sha256_text(line, 32);
}

}  // namespace faro::inline v1
