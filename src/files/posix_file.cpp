#include "files/posix_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/stat.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "faro/base/error.hpp"
#include "files/words.hpp"

namespace faro::inline v1 {
namespace files {
namespace {

constexpr std::uint64_t bounce_bytes = std::uint64_t{256} << 10U;
constexpr std::size_t bounces = 8;
// What may be dirty in the page cache before everything is pushed out and dropped.
constexpr std::uint64_t dirty_bytes_max = std::uint64_t{8} << 20U;
constexpr std::uint64_t usual_alignment = 4096;

int flags_of(FileAccess access) {
  switch (access) {
    case FileAccess::read:
      return O_RDONLY | O_CLOEXEC;
    case FileAccess::write:
      return O_RDWR | O_CLOEXEC;
    case FileAccess::create:
      return O_RDWR | O_CREAT | O_CLOEXEC;
  }
  return O_RDONLY;
}

}  // namespace

PosixFile::PosixFile(const std::string& path, const RandomFileOptions& options)
    : name_(path), start_(options.start_byte) {
  // A pipe that nobody writes would be waited for before it can be refused.
  file_ = Descriptor(::open(path.c_str(), flags_of(options.access) | O_NONBLOCK, 0600));
  if (file_.number() < 0) fail("cannot open it", errno);
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) fail("cannot read its status", errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorCode::environment,
                fmt::format("{}: is no regular file, so it cannot be read in any order", name_));
  ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_RANDOM);
  if (options.io != FileIo::buffered) open_direct(options.io, options.access);
}

PosixFile::~PosixFile() {
  if (bounces_ != nullptr) ::munmap(bounces_, bounces * bounce_bytes);
}

void PosixFile::fail(const char* what, int reason) const {
  throw Error(ErrorCode::environment,
              fmt::format("{}: {}: {}", name_, what, std::strerror(reason)));
}

void PosixFile::open_direct(FileIo io, FileAccess access) {
  const int flags = (flags_of(access) & ~O_CREAT) | O_DIRECT;
  direct_ = Descriptor(::open(name_.c_str(), flags));
  if (direct_.number() >= 0) find_alignment();
  if (direct_.number() < 0) {
    if (io == FileIo::direct)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: its file system does not take direct I/O; leave --io direct out",
                              name_));
    return;
  }
  void* memory = ::mmap(nullptr, bounces * bounce_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("no memory for its buffers", errno);
  bounces_ = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < bounces; ++i) free_bounces_.push_back(bounces_ + (i * bounce_bytes));
}

// Asks the file system; one that cannot say is tried.
void PosixFile::find_alignment() {
  alignment_ = memory_alignment_ = usual_alignment;
#if defined(STATX_DIOALIGN) && defined(SYS_statx)
  struct statx status = {};
  if (::syscall(SYS_statx, direct_.number(), "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) == 0 &&
      (status.stx_mask & STATX_DIOALIGN) != 0) {
    if (status.stx_dio_offset_align == 0 || status.stx_dio_offset_align > bounce_bytes / 2) {
      direct_ = Descriptor();
      return;
    }
    alignment_ = std::max<std::uint64_t>(status.stx_dio_offset_align, usual_alignment);
    memory_alignment_ = std::max<std::uint64_t>(status.stx_dio_mem_align, 512);
    return;
  }
#endif
  void* memory =
      ::mmap(nullptr, usual_alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("no memory for its buffers", errno);
  const bool works = ::pread(direct_.number(), memory, usual_alignment, 0) >= 0;
  ::munmap(memory, usual_alignment);
  if (!works) direct_ = Descriptor();
}

std::byte* PosixFile::take_bounce() {
  std::unique_lock lock(bounce_mutex_);
  bounce_free_.wait(lock, [&] { return !free_bounces_.empty(); });
  std::byte* buffer = free_bounces_.back();
  free_bounces_.pop_back();
  return buffer;
}

void PosixFile::give_bounce(std::byte* buffer) {
  {
    const std::lock_guard lock(bounce_mutex_);
    free_bounces_.push_back(buffer);
  }
  bounce_free_.notify_one();
}

void PosixFile::read(std::uint64_t offset, std::span<std::byte> into) {
  const std::uint64_t at = start_ + offset;
  if (!is_direct()) {
    read_buffered(at, into);
    return;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(into.data());
  if (at % alignment_ == 0 && into.size() % alignment_ == 0 && address % memory_alignment_ == 0)
    read_aligned(at, into);
  else
    read_around(at, into);
}

void PosixFile::read_aligned(std::uint64_t at, std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t got = ::pread(direct_.number(), into.data(), into.size(), offset_of(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", errno);
    const auto count = static_cast<std::uint64_t>(got);
    at += count;
    into = into.subspan(count);
    // The end of the file, or a read that stopped off the grid.
    if (count % alignment_ != 0 || count == 0) {
      read_buffered(at, into);
      return;
    }
  }
}

// Whole blocks around what is wanted, by way of a small buffer.
void PosixFile::read_around(std::uint64_t at, std::span<std::byte> into) {
  struct Taken {
    PosixFile& file;
    std::byte* buffer;
    ~Taken() { file.give_bounce(buffer); }
  };
  const Taken taken{*this, take_bounce()};
  while (!into.empty()) {
    const std::uint64_t begin = at / alignment_ * alignment_;
    const std::uint64_t skip = at - begin;
    const std::uint64_t most = std::min<std::uint64_t>(into.size(), bounce_bytes - skip);
    const std::uint64_t wanted = (skip + most + alignment_ - 1) / alignment_ * alignment_;
    const ssize_t got = ::pread(direct_.number(), taken.buffer, wanted, offset_of(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", errno);
    if (static_cast<std::uint64_t>(got) <= skip) {
      read_buffered(at, into);  // says where the file ends
      return;
    }
    const std::uint64_t count = std::min(most, static_cast<std::uint64_t>(got) - skip);
    std::memcpy(into.data(), taken.buffer + skip, count);
    at += count;
    into = into.subspan(count);
  }
}

void PosixFile::read_buffered(std::uint64_t at, std::span<std::byte> into) {
  const std::uint64_t begin = at;
  while (!into.empty()) {
    const ssize_t got = ::pread(file_.number(), into.data(), into.size(), offset_of(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("cannot read", errno);
    if (got == 0)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: is cut short: byte {} and {} more are missing; was it changed "
                              "meanwhile?",
                              name_, at, into.size() - 1));
    at += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  if (at != begin)
    ::posix_fadvise(file_.number(), offset_of(begin), offset_of(at - begin), POSIX_FADV_DONTNEED);
}

void PosixFile::write(std::uint64_t offset, std::span<const std::byte> from) {
  const std::uint64_t at = start_ + offset;
  const std::uint64_t first = (at + alignment_ - 1) / std::max<std::uint64_t>(alignment_, 1);
  if (!is_direct()) {
    write_buffered(at, from);
    return;
  }
  const std::uint64_t head = std::min<std::uint64_t>(first * alignment_ - at, from.size());
  const std::uint64_t middle = (from.size() - head) / alignment_ * alignment_;
  if (head != 0) write_buffered(at, from.first(head));
  if (middle != 0) write_aligned(at + head, from.subspan(head, middle));
  if (head + middle != from.size()) write_buffered(at + head + middle, from.subspan(head + middle));
}

void PosixFile::write_aligned(std::uint64_t at, std::span<const std::byte> from) {
  const auto address = reinterpret_cast<std::uintptr_t>(from.data());
  std::byte* bounce = address % memory_alignment_ == 0 ? nullptr : take_bounce();
  int reason = 0;
  while (!from.empty() && reason == 0) {
    const std::byte* data = from.data();
    std::uint64_t size = from.size();
    if (bounce != nullptr) {
      size = std::min(size, bounce_bytes);
      std::memcpy(bounce, data, size);
      data = bounce;
    }
    const ssize_t put = ::pwrite(direct_.number(), data, size, offset_of(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      reason = put == 0 ? EIO : errno;
      break;
    }
    // A write that stopped off the grid goes on block by block.
    const auto count = static_cast<std::uint64_t>(put) / alignment_ * alignment_;
    if (count == 0) {
      if (bounce != nullptr) give_bounce(bounce);
      write_buffered(at, from);
      return;
    }
    at += count;
    from = from.subspan(count);
  }
  if (bounce != nullptr) give_bounce(bounce);
  if (reason != 0) fail("cannot write", reason);
}

void PosixFile::write_buffered(std::uint64_t at, std::span<const std::byte> from) {
  const std::uint64_t begin = at;
  while (!from.empty()) {
    const ssize_t put = ::pwrite(file_.number(), from.data(), from.size(), offset_of(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) fail("cannot write", put == 0 ? EIO : errno);
    at += static_cast<std::uint64_t>(put);
    from = from.subspan(static_cast<std::size_t>(put));
  }
  if (::sync_file_range(file_.number(), offset_of(begin), offset_of(at - begin),
                        SYNC_FILE_RANGE_WRITE) != 0 &&
      errno != ENOSYS && errno != EINVAL && errno != ESPIPE)
    fail("cannot write", errno);
  if (dirty_bytes_.fetch_add(at - begin) + (at - begin) > dirty_bytes_max) push_out();
}

// Waits until nothing is dirty and drops it from the page cache.
void PosixFile::push_out() {
  dirty_bytes_.store(0);
  if (::sync_file_range(
          file_.number(), 0, 0,
          SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) != 0 &&
      errno != ENOSYS && errno != EINVAL && errno != ESPIPE)
    fail("cannot write", errno);
  ::posix_fadvise(file_.number(), 0, 0, POSIX_FADV_DONTNEED);
}

void PosixFile::sync() {
  if (::fdatasync(file_.number()) != 0) fail("cannot sync it to disk", errno);
  dirty_bytes_.store(0);
}

std::uint64_t PosixFile::size_bytes() {
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) fail("cannot read its status", errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return size < start_ ? 0 : size - start_;
}

FileStatus PosixFile::status() const {
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) fail("cannot read its status", errno);
  return {.size_bytes = static_cast<std::uint64_t>(status.st_size),
          .changed_nanoseconds = (std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000) +
                                 std::int64_t{status.st_mtim.tv_nsec},
          .inode = status.st_ino,
          .device = status.st_dev};
}

void PosixFile::reserve(std::uint64_t bytes) {
  const std::uint64_t size = start_ + bytes;
  if (size > static_cast<std::uint64_t>(INT64_MAX)) fail("cannot reserve its space", EFBIG);
  struct statvfs disk = {};
  const bool known = ::fstatvfs(file_.number(), &disk) == 0;
  const std::uint64_t room = known ? disk.f_bavail * disk.f_frsize : UINT64_MAX;
  struct stat status = {};
  if (::fstat(file_.number(), &status) != 0) fail("cannot read its status", errno);
  const std::uint64_t has = static_cast<std::uint64_t>(status.st_blocks) * 512;
  const auto lacks = [&](std::uint64_t free) { return has < size && size - has > free; };
  // Asked first: reserving takes all there is before it fails.
  int reason = known && lacks(disk.f_bfree * disk.f_frsize) ? ENOSPC : 0;
  if (reason == 0) {
    int result = 0;
    do result = ::fallocate(file_.number(), 0, 0, offset_of(std::max<std::uint64_t>(size, 1)));
    while (result != 0 && errno == EINTR);
    reason = result == 0 ? 0 : errno;
    // File systems that promise nothing.
    if (reason == EOPNOTSUPP || reason == ENOSYS) reason = lacks(room) ? ENOSPC : 0;
  }
  if (reason == ENOSPC)
    throw Error(ErrorCode::environment,
                fmt::format("{}: the disk has no room for it: it needs {} ({} bytes){}", name_,
                            size_text(size), size,
                            known ? fmt::format(", and {} are free", size_text(room)) : ""));
  if (reason != 0) fail("cannot reserve its space", reason);
  if (::ftruncate(file_.number(), offset_of(size)) != 0) fail("cannot set its size", errno);
}

}  // namespace files

std::unique_ptr<RandomFile> open_random_file(const std::string& path,
                                             const RandomFileOptions& options) {
  return std::make_unique<files::PosixFile>(path, options);
}

namespace {

[[noreturn]] void outside(const std::string& name) {
  throw Error(ErrorCode::environment, fmt::format("{}: is cut short", name));
}

}  // namespace

void MemoryFile::read(std::uint64_t offset, std::span<std::byte> into) {
  if (offset > bytes_.size() || into.size() > bytes_.size() - offset) outside(name_);
  if (!into.empty()) std::memcpy(into.data(), bytes_.data() + offset, into.size());
}

void MemoryFile::write(std::uint64_t offset, std::span<const std::byte> from) {
  if (offset > bytes_.size() || from.size() > bytes_.size() - offset) outside(name_);
  if (!from.empty()) std::memcpy(bytes_.data() + offset, from.data(), from.size());
}

}  // namespace faro::inline v1
