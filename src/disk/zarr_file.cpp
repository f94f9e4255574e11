#include "disk/zarr_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "disk/crc32c.hpp"
#include "faro/base/error.hpp"
#include "files/words.hpp"

namespace faro::inline v1::disk {
namespace {

constexpr std::uint64_t entry_bytes = 16;
// Of shards that are read at about the same time.
constexpr std::size_t indices_kept = 16;

void put_word(std::uint64_t word, std::byte* to) {
  for (unsigned i = 0; i < 8; ++i) to[i] = static_cast<std::byte>(word >> (8 * i));
}
std::uint64_t word_at(const std::byte* from) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 8; ++i) word |= std::to_integer<std::uint64_t>(from[i]) << (8 * i);
  return word;
}

}  // namespace

ZarrFile::ZarrFile(ZarrArray array, files::ChunkFolder folder)
    : array_(std::move(array)),
      folder_(std::move(folder)),
      chunk_bytes_(array_.chunk_bytes()),
      shard_bytes_(array_.shard_bytes()),
      chunks_of_shard_(shard_bytes_ / chunk_bytes_) {}

std::uint64_t ZarrFile::read_unit_bytes() const {
  return array_.codecs.is_plain() ? 1 : chunk_bytes_;
}
std::uint64_t ZarrFile::write_unit_bytes() const {
  return array_.codecs.is_plain() ? 1 : shard_bytes_;
}

std::uint64_t ZarrFile::read_memory(int callers) const {
  const std::uint64_t index = array_.index_bytes() * (indices_kept + 2);
  if (array_.codecs.is_plain()) return index;
  // What is read, and what the steps between make of it.
  return index +
         (static_cast<std::uint64_t>(std::max(callers, 1)) * 3 * array_.codecs.bound(chunk_bytes_));
}

std::uint64_t ZarrFile::write_memory(int callers) const {
  if (array_.codecs.is_plain()) return array_.index_bytes() * 2;
  const std::uint64_t chunk = 3 * array_.codecs.bound(chunk_bytes_);
  const std::uint64_t shard =
      array_.sharded ? (chunks_of_shard_ * array_.codecs.bound(chunk_bytes_)) + array_.index_bytes()
                     : 0;
  return static_cast<std::uint64_t>(std::max(callers, 1)) * (chunk + shard);
}

void ZarrFile::reserve(std::uint64_t bytes) {
  FARO_CHECK(bytes == array_.data_bytes());
  // How much encoded chunks take is known when they are written.
  if (!array_.codecs.is_plain() || bytes <= folder_.free_bytes()) return;
  // Of a run that is gone on with, part is there already.
  if (folder_.size_bytes(array_.key(0))) return;
  throw Error(ErrorCode::environment,
              fmt::format("{}: the disk has no room for it: it needs {}, and {} are free", name(),
                          files::size_text(bytes), files::size_text(folder_.free_bytes())));
}

void ZarrFile::fill(std::span<std::byte> into, const std::string& key) const {
  if (array_.fill.empty())
    throw Error(ErrorCode::impossible,
                fmt::format("{}: the chunk {} is not there, and its fill value is not known here",
                            name(), key));
  for (std::size_t at = 0; at < into.size(); at += array_.fill.size())
    std::memcpy(into.data() + at, array_.fill.data(),
                std::min(array_.fill.size(), into.size() - at));
}

ZarrFile::Index ZarrFile::read_index(std::uint64_t shard) const {
  Index index(chunks_of_shard_);
  const std::string key = array_.key(shard);
  const auto size = folder_.size_bytes(key);
  if (!size) return index;
  const std::uint64_t bytes = array_.index_bytes();
  const auto damaged = [&](const std::string& what) {
    throw Error(ErrorCode::environment, fmt::format("{}/{}: {}", name(), key, what));
  };
  if (*size < bytes) damaged("is too short for its index");
  std::vector<std::byte> content(bytes);
  folder_.read(key, array_.index_first ? 0 : *size - bytes, content);
  const std::size_t entries = chunks_of_shard_ * entry_bytes;
  if (array_.index_checksum) {
    std::uint32_t stated = 0;
    for (unsigned i = 0; i < 4; ++i)
      stated |= std::to_integer<std::uint32_t>(content[entries + i]) << (8 * i);
    if (stated != crc32c(std::span<const std::byte>(content).first(entries)))
      damaged("the checksum of its index is wrong");
  }
  for (std::uint64_t i = 0; i < chunks_of_shard_; ++i) {
    const Entry entry{word_at(content.data() + (i * entry_bytes)),
                      word_at(content.data() + (i * entry_bytes) + 8)};
    index[i] = entry;
    if (entry.offset == UINT64_MAX && entry.bytes == UINT64_MAX) continue;
    if (entry.offset > *size || entry.bytes > *size - entry.offset)
      damaged(fmt::format("its index says that chunk {} lies outside", i));
    // No codec makes a chunk much longer; whoever claims so wants memory.
    if (entry.bytes > 2 * array_.codecs.bound(chunk_bytes_) ||
        (array_.codecs.is_plain() && entry.bytes != chunk_bytes_))
      damaged(
          fmt::format("its index says {} bytes for chunk {} of {}", entry.bytes, i, chunk_bytes_));
  }
  return index;
}

std::shared_ptr<const ZarrFile::Index> ZarrFile::index_of(std::uint64_t shard) {
  {
    const std::lock_guard lock(index_mutex_);
    const auto found = std::find_if(indices_.begin(), indices_.end(),
                                    [&](const auto& kept) { return kept.first == shard; });
    if (found != indices_.end()) {
      indices_.splice(indices_.begin(), indices_, found);
      return found->second;
    }
  }
  auto index = std::make_shared<const Index>(read_index(shard));
  const std::lock_guard lock(index_mutex_);
  indices_.emplace_front(shard, index);
  if (indices_.size() > indices_kept) indices_.pop_back();
  return index;
}

std::vector<std::byte> ZarrFile::index_content(const Index& index) const {
  std::vector<std::byte> content(array_.index_bytes());
  for (std::size_t i = 0; i < index.size(); ++i) {
    put_word(index[i].offset, content.data() + (i * entry_bytes));
    put_word(index[i].bytes, content.data() + (i * entry_bytes) + 8);
  }
  if (array_.index_checksum) {
    const std::size_t entries = index.size() * entry_bytes;
    const std::uint32_t sum = crc32c(std::span<const std::byte>(content).first(entries));
    for (unsigned i = 0; i < 4; ++i) content[entries + i] = static_cast<std::byte>(sum >> (8 * i));
  }
  return content;
}

// False where the chunk is not there.
bool ZarrFile::read_plain(std::uint64_t chunk, std::uint64_t within, std::span<std::byte> into) {
  const std::uint64_t shard = chunk / chunks_of_shard_;
  std::uint64_t at = within;
  if (array_.sharded) {
    const Entry entry = (*index_of(shard))[chunk % chunks_of_shard_];
    if (entry.offset == UINT64_MAX) return false;
    at += entry.offset;
  }
  return folder_.read(array_.key(shard), at, into);
}

bool ZarrFile::read_encoded(std::uint64_t chunk, std::span<std::byte> into) {
  const std::uint64_t shard = chunk / chunks_of_shard_;
  const std::string key = array_.key(shard);
  Entry entry{0, 0};
  if (array_.sharded) {
    entry = (*index_of(shard))[chunk % chunks_of_shard_];
    if (entry.offset == UINT64_MAX) return false;
  } else {
    const auto size = folder_.size_bytes(key);
    if (!size) return false;
    entry.bytes = *size;
    if (entry.bytes > 2 * array_.codecs.bound(chunk_bytes_))
      throw Error(ErrorCode::environment,
                  fmt::format("{}/{}: {} bytes are too many for a chunk of {}", name(), key,
                              entry.bytes, chunk_bytes_));
  }
  std::vector<std::byte> encoded(entry.bytes);
  if (!folder_.read(key, entry.offset, encoded)) return false;
  array_.codecs.decode(std::move(encoded), into, fmt::format("{}/{}", name(), key));
  return true;
}

void ZarrFile::read_piece(std::uint64_t chunk, std::uint64_t within, std::span<std::byte> into) {
  const auto key = [&] { return array_.key(chunk / chunks_of_shard_); };
  if (array_.codecs.is_plain()) {
    if (!read_plain(chunk, within, into)) {
      FARO_CHECK(within % array_.element_bytes == 0);
      fill(into, key());
    }
    return;
  }
  if (into.size() == chunk_bytes_) {
    if (!read_encoded(chunk, into)) fill(into, key());
    return;
  }
  std::vector<std::byte> whole(chunk_bytes_);
  if (!read_encoded(chunk, whole)) fill(whole, key());
  std::memcpy(into.data(), whole.data() + within, into.size());
}

void ZarrFile::read(std::uint64_t offset, std::span<std::byte> into) {
  FARO_CHECK(offset <= array_.data_bytes() && into.size() <= array_.data_bytes() - offset);
  while (!into.empty()) {
    const std::uint64_t within = offset % chunk_bytes_;
    const std::uint64_t bytes = std::min<std::uint64_t>(into.size(), chunk_bytes_ - within);
    read_piece(offset / chunk_bytes_, within, into.first(bytes));
    offset += bytes;
    into = into.subspan(bytes);
  }
}

void ZarrFile::write_plain(std::uint64_t shard, std::uint64_t within,
                           std::span<const std::byte> from) {
  const std::uint64_t index_bytes = array_.index_bytes();
  const std::uint64_t start = array_.index_first ? index_bytes : 0;
  const std::uint64_t file_bytes = shard_bytes_ + index_bytes;
  const std::string key = array_.key(shard);
  // Every piece of a shard is written once; the one at its beginning brings the index.
  if (array_.sharded && within == 0) {
    Index index(chunks_of_shard_);
    for (std::uint64_t i = 0; i < chunks_of_shard_; ++i)
      index[i] = {start + (i * chunk_bytes_), chunk_bytes_};
    folder_.write(key, array_.index_first ? 0 : shard_bytes_, index_content(index), file_bytes);
  }
  folder_.write(key, start + within, from, file_bytes);
}

void ZarrFile::write_encoded(std::uint64_t shard, std::span<const std::byte> from) {
  const std::string key = array_.key(shard);
  if (!array_.sharded) {
    folder_.replace(key, array_.codecs.encode(from));
    return;
  }
  std::vector<std::byte> content;
  content.reserve((chunks_of_shard_ * array_.codecs.bound(chunk_bytes_)) + array_.index_bytes());
  if (array_.index_first) content.resize(array_.index_bytes());
  Index index(chunks_of_shard_);
  for (std::uint64_t i = 0; i < chunks_of_shard_; ++i) {
    const auto encoded = array_.codecs.encode(from.subspan(i * chunk_bytes_, chunk_bytes_));
    index[i] = {content.size(), encoded.size()};
    content.insert(content.end(), encoded.begin(), encoded.end());
  }
  const auto listed = index_content(index);
  if (array_.index_first)
    std::copy(listed.begin(), listed.end(), content.begin());
  else
    content.insert(content.end(), listed.begin(), listed.end());
  folder_.replace(key, content);
}

void ZarrFile::write(std::uint64_t offset, std::span<const std::byte> from) {
  FARO_CHECK(offset <= array_.data_bytes() && from.size() <= array_.data_bytes() - offset);
  const std::uint64_t unit = write_unit_bytes();
  FARO_CHECK(offset % unit == 0 && from.size() % unit == 0);
  while (!from.empty()) {
    const std::uint64_t within = offset % shard_bytes_;
    const std::uint64_t bytes = std::min<std::uint64_t>(from.size(), shard_bytes_ - within);
    if (array_.codecs.is_plain())
      write_plain(offset / shard_bytes_, within, from.first(bytes));
    else
      write_encoded(offset / shard_bytes_, from.first(bytes));
    offset += bytes;
    from = from.subspan(bytes);
  }
}

}  // namespace faro::inline v1::disk
