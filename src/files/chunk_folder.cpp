#include "files/chunk_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "faro/base/error.hpp"
#include "faro/files/input.hpp"
#include "files/posix_file.hpp"

namespace faro::inline v1::files {

void ChunkFolder::fail(const std::string& name, const char* what, int reason) const {
  throw Error(ErrorCode::environment,
              fmt::format("{}: {}: {}", path(name), what, std::strerror(reason)));
}

bool ChunkFolder::exists() const {
  return ::access(folder_.c_str(), F_OK) == 0;
}

void ChunkFolder::make() {
  if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST) fail("", "cannot make it", errno);
}

std::optional<std::uint64_t> ChunkFolder::size_bytes(const std::string& name) const {
  struct stat status = {};
  if (::stat(path(name).c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail(name, "cannot read its status", errno);
  }
  if (!S_ISREG(status.st_mode)) fail(name, "is no regular file", EINVAL);
  return static_cast<std::uint64_t>(status.st_size);
}

bool ChunkFolder::read(const std::string& name, std::uint64_t offset,
                       std::span<std::byte> into) const {
  const Descriptor file(::open(path(name).c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0 && (errno == ENOENT || errno == ENOTDIR)) return false;
  if (file.number() < 0) fail(name, "cannot open it", errno);
  std::uint64_t at = offset;
  while (!into.empty()) {
    const ssize_t got = ::pread(file.number(), into.data(), into.size(), offset_of(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, "cannot read", errno);
    if (got == 0)
      throw Error(ErrorCode::environment,
                  fmt::format("{}: is cut short at byte {}", path(name), at));
    at += static_cast<std::uint64_t>(got);
    into = into.subspan(static_cast<std::size_t>(got));
  }
  ::posix_fadvise(file.number(), offset_of(offset), offset_of(at - offset), POSIX_FADV_DONTNEED);
  return true;
}

int ChunkFolder::open_to_write(const std::string& name) const {
  const auto open = [&] {
    return ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  };
  int file = open();
  if (file < 0 && errno == ENOENT) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path(), error);
    if (error) fail(name, "cannot make its folder", error.value());
    file = open();
  }
  if (file < 0) fail(name, "cannot open it", errno);
  return file;
}

void ChunkFolder::put(int file, const std::string& name, std::uint64_t at,
                      std::span<const std::byte> from) const {
  const std::uint64_t begin = at;
  while (!from.empty()) {
    const ssize_t done = ::pwrite(file, from.data(), from.size(), offset_of(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(name, "cannot write", done == 0 ? EIO : errno);
    at += static_cast<std::uint64_t>(done);
    from = from.subspan(static_cast<std::size_t>(done));
  }
  constexpr unsigned all =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (::sync_file_range(file, offset_of(begin), offset_of(at - begin), all) != 0 &&
      errno != ENOSYS && errno != EINVAL && errno != ESPIPE)
    fail(name, "cannot write", errno);
  ::posix_fadvise(file, offset_of(begin), offset_of(at - begin), POSIX_FADV_DONTNEED);
}

void ChunkFolder::write(const std::string& name, std::uint64_t offset,
                        std::span<const std::byte> from, std::uint64_t file_bytes) {
  const Descriptor file(open_to_write(name));
  // Blocks that lie together: whoever comes first asks for all of them.
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) fail(name, "cannot read its status", errno);
  if (static_cast<std::uint64_t>(status.st_size) < file_bytes &&
      offset + from.size() < file_bytes &&
      ::fallocate(file.number(), 0, 0, offset_of(file_bytes)) != 0 && errno == ENOSPC)
    fail(name, "cannot reserve its space", errno);
  put(file.number(), name, offset, from);
}

void ChunkFolder::replace(const std::string& name, std::span<const std::byte> bytes) {
  const Descriptor file(open_to_write(name));
  put(file.number(), name, 0, bytes);
  if (::ftruncate(file.number(), offset_of(bytes.size())) != 0)
    fail(name, "cannot set its size", errno);
}

void ChunkFolder::sync() const {
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // One call for the whole file system: there may be millions of parts, in folders of their own.
  if (folder.number() < 0 || ::syncfs(folder.number()) != 0)
    fail("", "cannot sync it to disk", errno);
}

std::uint64_t ChunkFolder::free_bytes() const {
  struct statvfs disk = {};
  if (::statvfs(folder_.c_str(), &disk) != 0) return UINT64_MAX;
  return disk.f_bavail * disk.f_frsize;
}

void ChunkFolder::remove_all() const {
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
  if (error) fail("", "cannot remove it", error.value());
}

void ChunkFolder::rename(const std::string& to) const {
  if (::rename(folder_.c_str(), to.c_str()) != 0) {
    const int reason = errno;
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot put it in place: {}", to, std::strerror(reason)));
  }
}

}  // namespace faro::inline v1::files
