// A folder of files that are parts of one array, each opened when it is used: there may be more
// than a process can hold open.
//
// What is written goes to the disk at once and leaves the page cache, so that neither grows with
// the array; sync() makes all of it durable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace faro::inline v1::files {

class ChunkFolder {
 public:
  explicit ChunkFolder(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }
  bool exists() const;
  void make();
  // The size of a part; nothing where it is not there.
  std::optional<std::uint64_t> size_bytes(const std::string& name) const;
  // All of the bytes, or Error(environment); false where there is no such part.
  bool read(const std::string& name, std::uint64_t offset, std::span<std::byte> into) const;
  // Into a part of `file_bytes`, made with its folders where it is missing.
  void write(const std::string& name, std::uint64_t offset, std::span<const std::byte> from,
             std::uint64_t file_bytes);
  // The whole of a part; what is longer is cut off.
  void replace(const std::string& name, std::span<const std::byte> bytes);
  // Everything written so far survives a power failure.
  void sync() const;
  std::uint64_t free_bytes() const;
  void remove_all() const;
  // Takes a new name, durably. Error(environment) where something has it.
  void rename(const std::string& to) const;

 private:
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[noreturn]] void fail(const std::string& name, const char* what, int reason) const;
  int open_to_write(const std::string& name) const;
  void put(int file, const std::string& name, std::uint64_t at,
           std::span<const std::byte> from) const;

  std::string folder_;
};

}  // namespace faro::inline v1::files
