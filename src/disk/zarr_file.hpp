// The chunks of a Zarr array as one file: byte b of it is byte b of the elements in the order in
// which they are stored, shard after shard, chunk after chunk.
//
// Chunks that are not encoded are read and written in any pieces; encoded ones are read whole, and
// written only in whole files. A chunk that is not there is full of the array's fill value.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "disk/zarr_array.hpp"
#include "faro/files/random_file.hpp"
#include "files/chunk_folder.hpp"

namespace faro::inline v1::disk {

class ZarrFile : public RandomFile {
 public:
  ZarrFile(ZarrArray array, files::ChunkFolder folder);

  void read(std::uint64_t offset, std::span<std::byte> into) override;
  void write(std::uint64_t offset, std::span<const std::byte> from) override;
  void sync() override { folder_.sync(); }
  std::uint64_t size_bytes() override { return array_.data_bytes(); }
  void reserve(std::uint64_t bytes) override;
  const std::string& name() const override { return folder_.folder(); }

  const ZarrArray& array() const { return array_; }
  // What is read or written at once; 1 where any piece may be.
  std::uint64_t read_unit_bytes() const;
  std::uint64_t write_unit_bytes() const;
  // Memory that so many callers at once take beside the caller's.
  std::uint64_t read_memory(int callers) const;
  std::uint64_t write_memory(int callers) const;

 private:
  // Where a chunk lies in its file; 2^64 - 1 twice: it is not there.
  struct Entry {
    std::uint64_t offset = UINT64_MAX;
    std::uint64_t bytes = UINT64_MAX;
  };
  using Index = std::vector<Entry>;

  std::shared_ptr<const Index> index_of(std::uint64_t shard);
  Index read_index(std::uint64_t shard) const;
  std::vector<std::byte> index_content(const Index& index) const;
  bool read_plain(std::uint64_t chunk, std::uint64_t within, std::span<std::byte> into);
  bool read_encoded(std::uint64_t chunk, std::span<std::byte> into);
  void read_piece(std::uint64_t chunk, std::uint64_t within, std::span<std::byte> into);
  void write_plain(std::uint64_t shard, std::uint64_t within, std::span<const std::byte> from);
  void write_encoded(std::uint64_t shard, std::span<const std::byte> from);
  void fill(std::span<std::byte> into, const std::string& key) const;

  ZarrArray array_;
  files::ChunkFolder folder_;
  std::uint64_t chunk_bytes_;
  std::uint64_t shard_bytes_;
  std::uint64_t chunks_of_shard_;
  std::mutex index_mutex_;
  std::list<std::pair<std::uint64_t, std::shared_ptr<const Index>>> indices_;  // latest first
};

}  // namespace faro::inline v1::disk
