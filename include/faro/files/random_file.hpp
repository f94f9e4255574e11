// A file that is read and written in any order, by several threads at once: what a rearrangement
// of arrays larger than memory stands on.
//
//   const auto file = open_random_file("a.raw", {.access = FileAccess::read});
//   file->read(bit(40), buffer);          the bytes from 2^40 on, all of them, or an Error
//
// POSIX files are opened for direct I/O where the file system takes it, so that nothing but the
// caller's buffers holds data; what is not aligned goes through small buffers made once. Elsewhere
// they are buffered: what was written is pushed to the disk early and dropped from the page cache,
// what was read is dropped at once. At most some 16 MiB are in the cache at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace faro::inline v1 {

class RandomFile {
 public:
  virtual ~RandomFile() = default;
  // All of the bytes, or Error(environment), which names the file. Calls on ranges that do not
  // overlap may run at the same time.
  virtual void read(std::uint64_t offset, std::span<std::byte> into) = 0;
  virtual void write(std::uint64_t offset, std::span<const std::byte> from) = 0;
  // What was written survives a power failure when this returns. After an error what was written
  // since the last success may be lost, whatever later calls say.
  virtual void sync() = 0;
  virtual std::uint64_t size_bytes() = 0;
  // Makes the file `bytes` long, with space on the disk for all of them where the file system can
  // promise that, else Error(environment).
  virtual void reserve(std::uint64_t bytes) = 0;
  // For messages.
  virtual const std::string& name() const = 0;
};

enum class FileAccess {
  read,
  write,
  create
};  // write: and read; create: likewise, made if missing
enum class FileIo { automatic, direct, buffered };

struct RandomFileOptions {
  FileAccess access = FileAccess::read;
  FileIo io = FileIo::automatic;  // direct where it is possible; `direct` refuses where it is not
  std::uint64_t start_byte = 0;   // offsets count from here: behind a header
};
std::unique_ptr<RandomFile> open_random_file(const std::string& path,
                                             const RandomFileOptions& options = {});

// Memory that behaves as a file.
class MemoryFile : public RandomFile {
 public:
  explicit MemoryFile(std::string name, std::vector<std::byte> bytes = {})
      : name_(std::move(name)), bytes_(std::move(bytes)) {}
  void read(std::uint64_t offset, std::span<std::byte> into) override;
  void write(std::uint64_t offset, std::span<const std::byte> from) override;
  void sync() override {}
  std::uint64_t size_bytes() override { return bytes_.size(); }
  void reserve(std::uint64_t bytes) override { bytes_.resize(bytes); }
  const std::string& name() const override { return name_; }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::string name_;
  std::vector<std::byte> bytes_;
};

}  // namespace faro::inline v1
