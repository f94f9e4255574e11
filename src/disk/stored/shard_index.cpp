#include "disk/stored/shard_index.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "disk/crc32c.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr std::uint64_t entry_bytes = 16;
constexpr std::uint64_t sum_bytes = 4;

std::uint64_t index_word(const std::byte* from, bool big) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i)
    word |= std::to_integer<std::uint64_t>(from[big ? 7 - i : i]) << (8 * i);
  return word;
}
void put_index_word(std::uint64_t word, std::byte* to, bool big) {
  for (unsigned i = 0; i < 8; ++i) to[big ? 7 - i : i] = static_cast<std::byte>(word >> (8 * i));
}

}  // namespace

std::uint64_t index_bytes(const ShardForm& form, std::uint64_t chunks) {
  return chunks * entry_bytes + (form.index_checksum ? sum_bytes : 0);
}

ShardIndex read_index(std::span<const std::byte> content, const ShardForm& form,
                      std::uint64_t shard_bytes, std::uint64_t chunk_bytes_max,
                      const std::string& name) {
  const auto damaged = [&](const std::string& what) {
    throw Error(ErrorCode::environment, fmt::format("{}: {}", name, what));
  };
  const std::uint64_t sum = form.index_checksum ? sum_bytes : 0;
  FARO_CHECK(content.size() >= sum && (content.size() - sum) % entry_bytes == 0);
  const auto entries = content.first(content.size() - sum);
  if (form.index_checksum) {
    std::uint32_t stated = 0;
    for (unsigned i = 0; i < sum_bytes; ++i)
      stated |= std::to_integer<std::uint32_t>(content[entries.size() + i]) << (8 * i);
    if (stated != crc32c(entries)) damaged("the checksum of its index is wrong");
  }
  ShardIndex index(entries.size() / entry_bytes);
  for (std::size_t i = 0; i < index.size(); ++i) {
    ShardEntry& entry = index[i];
    entry.offset = index_word(entries.data() + (i * entry_bytes), form.index_big);
    entry.bytes = index_word(entries.data() + (i * entry_bytes) + 8, form.index_big);
    if (entry.is_absent()) continue;
    if (entry.offset > shard_bytes || entry.bytes > shard_bytes - entry.offset)
      damaged(fmt::format("its index says that chunk {} lies outside", i));
    // No codec makes a chunk much longer; whoever claims so wants memory.
    if (entry.bytes > chunk_bytes_max)
      damaged(fmt::format("its index says {} bytes for chunk {}, which has at most {}", entry.bytes,
                          i, chunk_bytes_max));
  }
  return index;
}

std::vector<std::byte> index_content(const ShardIndex& index, const ShardForm& form) {
  std::vector<std::byte> content(index_bytes(form, index.size()));
  for (std::size_t i = 0; i < index.size(); ++i) {
    put_index_word(index[i].offset, content.data() + (i * entry_bytes), form.index_big);
    put_index_word(index[i].bytes, content.data() + (i * entry_bytes) + 8, form.index_big);
  }
  if (form.index_checksum) {
    const std::size_t entries = index.size() * entry_bytes;
    const std::uint32_t sum = crc32c(std::span<const std::byte>(content).first(entries));
    for (unsigned i = 0; i < sum_bytes; ++i)
      content[entries + i] = static_cast<std::byte>(sum >> (8 * i));
  }
  return content;
}

}  // namespace faro::inline v1::disk
