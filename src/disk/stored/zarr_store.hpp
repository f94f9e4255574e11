// A Zarr array, of version 2 or 3, in a folder of files.
//
// It is written in `.faro` within its folder: parts under names of their own, which get their keys
// when they are whole, and the metadata, which gets its name last; until then there is no array.
//
//   .faro/zarr.json                what it will be
//   .faro/HOST-PROCESS-NUMBER      a shard that grows
//   c/0/3                          a shard that is whole
#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "disk/stored/array_form.hpp"
#include "disk/stored/shard_index.hpp"
#include "disk/stored/unit_codec.hpp"
#include "disk/stored_array.hpp"
#include "files/chunk_folder.hpp"

namespace faro::inline v1::disk {

class ZarrStore : public StoredArray {
 public:
  ZarrStore(ArrayForm form, std::shared_ptr<files::ChunkFolder> folder);

  const StoredGrid& grid() const override { return grid_; }
  const std::string& data_type() const override { return form_.type.name; }
  std::span<const std::byte> fill() const override { return form_.fill; }
  const std::string& name() const override { return folder_->folder(); }
  const std::string& description() const override { return description_; }
  std::string identity() const override;
  Found read_unit(UnitIndex index, std::span<std::byte> unit) override;
  void read_run(std::uint64_t first_byte, std::span<std::byte> into) override;
  std::unique_ptr<StoredFile> begin_file(UnitIndex index) override;
  void finish(std::span<const std::unique_ptr<StoredFile>> files) override;
  bool has_file(UnitIndex index) const override;
  std::optional<std::uint64_t> count_files() const override;
  void write_run(std::uint64_t first_byte, std::span<const std::byte> from) override;
  void sync() override;
  void complete() override;

  const ArrayForm& form() const { return form_; }
  bool is_plain() const { return codec_.is_plain(); }
  // Likewise, of a part of a unit that is_plain().
  Found read_piece(UnitIndex index, std::uint64_t first_byte, std::span<std::byte> into);
  // A file is named as soon as it is sealed; nothing is durable before sync().
  void give_name(StoredFile& file);

 private:
  friend class ZarrPart;
  // Where a unit lies; no bytes where it is absent.
  struct Place {
    std::string key;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> bytes = {};
  };
  Place find(UnitIndex index);
  std::shared_ptr<const ShardIndex> index_at(const std::string& key, std::size_t level,
                                             std::uint64_t offset, std::uint64_t bytes);
  // Of what is one level further in: chunks of a shard, shards within a shard.
  const std::vector<std::uint64_t>& parts(std::size_t level) const;

  ArrayForm form_;
  std::shared_ptr<files::ChunkFolder> folder_;
  UnitCodec codec_;
  StoredGrid grid_;
  std::string description_;
  std::mutex index_mutex_;
  std::size_t indices_max_;
  std::list<std::pair<std::string, std::shared_ptr<const ShardIndex>>> indices_;  // latest first
};

// The name of what makes an array of a folder.
const char* metadata_name(const ArrayForm& form);
// Of a folder that has zarr.json or .zarray; throws Error(usage) where it has neither.
ArrayForm read_form(const files::ChunkFolder& folder);
std::unique_ptr<ZarrStore> open_zarr(std::shared_ptr<files::ChunkFolder> folder);
std::unique_ptr<ZarrStore> create_zarr(std::shared_ptr<files::ChunkFolder> folder, ArrayForm form);

}  // namespace faro::inline v1::disk
