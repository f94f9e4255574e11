// The chunks of a Zarr array as one file: byte b of it is byte b of the elements in the order in
// which they are stored, shard after shard, chunk after chunk, each in C order.
//
// Every length is a power of two here, so that where an element lies is a permutation of the bits
// of its index: the number of the shard, the chunk within it, the place within that. Chunks that
// are not encoded are read and written in any pieces; encoded ones are read whole, and written only
// in whole files. A chunk that is not there is full of the array's fill value.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "disk/stored/zarr_store.hpp"
#include "faro/algebra/bit_map.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::disk {

class ZarrFile : public RandomFile {
 public:
  // Throws Error(impossible) for other lengths than powers of two, with the folder's name in front.
  ZarrFile(std::unique_ptr<ZarrStore> store, std::shared_ptr<files::PosixFolder> folder);

  void read(std::uint64_t offset, std::span<std::byte> into) override;
  void write(std::uint64_t offset, std::span<const std::byte> from) override;
  void sync() override { folder_->sync(); }
  std::uint64_t size_bytes() override { return form().data_bytes(); }
  void reserve(std::uint64_t bytes) override;
  const std::string& name() const override { return folder_->folder(); }

  const ZarrStore& store() const { return *store_; }
  const ArrayForm& form() const { return store_->form(); }
  // From the index in C order to the place in storage.
  BitMap layout() const;
  // What is read or written at once; 1 where any piece may be.
  std::uint64_t read_unit_bytes() const { return store_->is_plain() ? 1 : chunk_bytes_; }
  std::uint64_t write_unit_bytes() const { return store_->is_plain() ? 1 : file_bytes_; }
  // Memory that so many callers at once take beside the caller's.
  std::uint64_t read_memory(int callers) const;
  std::uint64_t write_memory(int callers) const;

 private:
  std::vector<std::uint64_t> file_at(std::uint64_t number) const;
  std::vector<std::uint64_t> unit_at(std::uint64_t chunk) const;
  void read_piece(std::uint64_t chunk, std::uint64_t within, std::span<std::byte> into);
  void write_plain(std::uint64_t file, std::uint64_t within, std::span<const std::byte> from);
  void write_encoded(std::uint64_t file, std::span<const std::byte> from);

  std::unique_ptr<ZarrStore> store_;
  std::shared_ptr<files::PosixFolder> folder_;
  std::uint64_t chunk_bytes_;
  std::uint64_t file_bytes_;
  std::uint64_t chunks_of_file_;
};

}  // namespace faro::inline v1::disk
