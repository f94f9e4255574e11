// Files of the operating system as RandomFile. The one place that knows about direct I/O.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "faro/files/array_file.hpp"

namespace faro::inline v1::files {

inline off_t offset_of(std::uint64_t at) {
  return static_cast<off_t>(at);
}

// How the system knows a file.
struct FileStatus {
  std::uint64_t size_bytes = 0;
  std::int64_t changed_nanoseconds = 0;
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
};

class PosixFile : public RandomFile {
 public:
  PosixFile(const std::string& path, const RandomFileOptions& options);
  ~PosixFile() override;

  void read(std::uint64_t offset, std::span<std::byte> into) override;
  void write(std::uint64_t offset, std::span<const std::byte> from) override;
  void sync() override;
  std::uint64_t size_bytes() override;
  void reserve(std::uint64_t bytes) override;
  const std::string& name() const override { return name_; }

  // The descriptor that is not direct: for locks, permissions and status.
  int number() const { return file_.number(); }
  FileStatus status() const;
  bool is_direct() const { return direct_.number() >= 0; }

 private:
  void open_direct(FileIo io, FileAccess access);
  void find_alignment();
  void read_aligned(std::uint64_t at, std::span<std::byte> into);
  void read_around(std::uint64_t at, std::span<std::byte> into);
  void read_buffered(std::uint64_t at, std::span<std::byte> into);
  void write_aligned(std::uint64_t at, std::span<const std::byte> from);
  void write_buffered(std::uint64_t at, std::span<const std::byte> from);
  void push_out();
  std::byte* take_bounce();
  void give_bounce(std::byte* buffer);
  [[noreturn]] void fail(const char* what, int reason) const;

  std::string name_;
  std::uint64_t start_ = 0;
  Descriptor file_;
  Descriptor direct_;
  std::uint64_t alignment_ = 0;         // of offsets and lengths, direct
  std::uint64_t memory_alignment_ = 0;  // of addresses
  std::atomic<std::uint64_t> dirty_bytes_{0};
  std::byte* bounces_ = nullptr;
  std::vector<std::byte*> free_bounces_;
  std::mutex bounce_mutex_;
  std::condition_variable bounce_free_;
};

}  // namespace faro::inline v1::files
