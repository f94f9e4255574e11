// A folder of files that are parts of one array, each opened when it is used: there may be more
// than a process can hold open.
//
//   folder.open(".faro/a")->write(..)       a part grows under a name of its own,
//   folder.sync_files({".faro/a"})          is on the disk,
//   folder.rename(".faro/a", "c/0/3")       and then has its name, which sync_names() makes durable
//
// What is written goes to the disk at once and leaves the page cache, so that neither grows with
// the array. An interface, so that tests can fail every call and cut the power.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faro/files/array_file.hpp"

namespace faro::inline v1::files {

class ChunkFolder {
 public:
  virtual ~ChunkFolder() = default;

  virtual const std::string& folder() const = 0;
  // The size of a part; nothing where it is not there.
  virtual std::optional<std::uint64_t> size_bytes(const std::string& name) const = 0;
  // All of the bytes, or Error(environment); false where there is no such part.
  virtual bool read(const std::string& name, std::uint64_t offset,
                    std::span<std::byte> into) const = 0;
  // Another text when a part was changed, as well as the system knows; empty where it is not there.
  virtual std::string stamp(const std::string& name) const = 0;
  // Made with its folders where it is missing; open until it is destroyed.
  virtual std::unique_ptr<RandomFile> open(const std::string& name) = 0;
  // Over what had the name, whose folders are made.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  // Of a part, or of a folder with all that is in it; nothing where it is not there.
  virtual void remove(const std::string& name) = 0;
  // The content of these parts survives a power failure; then their names.
  virtual void sync_files(std::span<const std::string> names) = 0;
  virtual void sync_names(std::span<const std::string> names) = 0;
  virtual std::uint64_t free_bytes() const { return UINT64_MAX; }
  // What a read of so many bytes holds beside the caller's buffer.
  virtual std::uint64_t held_bytes(std::uint64_t /*read*/) const { return 0; }
  // How many chunks there are, what is unfinished, the metadata and other names left out
  // (dots first, zarr.json, 0.bak); nothing where nobody can tell.
  virtual std::optional<std::uint64_t> count_files() const { return std::nullopt; }
  // A part is asked for over a network, perhaps: few of them tell of all.
  virtual bool is_far() const { return false; }

  // A part of this text, durably, that is never seen half written. By way of a part `own`.
  void put(const std::string& name, std::string_view text, const std::string& own);
  // The text of a part of at most so many bytes, else Error(limit).
  std::optional<std::string> text(const std::string& name, std::uint64_t bytes_max) const;
};

// On the disk.
class PosixFolder : public ChunkFolder {
 public:
  // Whether the folder itself is made where it is missing, as those within it are.
  enum class Root { made, must_be };
  explicit PosixFolder(std::string folder, Root root = Root::made)
      : folder_(std::move(folder)), root_(root) {}

  const std::string& folder() const override { return folder_; }
  std::optional<std::uint64_t> size_bytes(const std::string& name) const override;
  bool read(const std::string& name, std::uint64_t offset,
            std::span<std::byte> into) const override;
  std::string stamp(const std::string& name) const override;
  std::unique_ptr<RandomFile> open(const std::string& name) override;
  void rename(const std::string& from, const std::string& to) override;
  void remove(const std::string& name) override;
  void sync_files(std::span<const std::string> names) override;
  void sync_names(std::span<const std::string> names) override;
  std::uint64_t free_bytes() const override;
  std::optional<std::uint64_t> count_files() const override;

  bool exists() const;
  // Into a part of `file_bytes`, made with its folders where it is missing.
  void write(const std::string& name, std::uint64_t offset, std::span<const std::byte> from,
             std::uint64_t file_bytes);
  // Everything written so far survives a power failure.
  void sync() const;
  // Takes a new name, durably. Error(environment) where something has it.
  void move(const std::string& to) const;

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[noreturn]] void fail(const std::string& name, const char* what, int reason) const;
  void make_folder_of(const std::string& name) const;
  int open_to_write(const std::string& name) const;
  void put_bytes(int file, const std::string& name, std::uint64_t at,
                 std::span<const std::byte> from) const;
  void sync_one(const std::string& name, int flags) const;

  std::string folder_;
  Root root_;
};

// Of this process on this machine, another one at each call: for parts that others do not meet.
std::string own_name();
// Names of the folders in a folder, sorted; none where it is not there.
std::vector<std::string> folders_in(const std::string& folder);

}  // namespace faro::inline v1::files
