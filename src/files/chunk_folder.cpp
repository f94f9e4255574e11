#include "files/chunk_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "files/posix_file.hpp"

namespace faro::inline v1::files {
namespace {

// Of more one call for the whole file system costs less.
constexpr std::size_t synced_singly_max = 8;

}  // namespace

void ChunkFolder::put(const std::string& name, std::string_view text, const std::string& own) {
  // What a kill has left there may be longer.
  if (size_bytes(own)) remove(own);
  {
    const auto file = open(own);
    file->write(0, std::as_bytes(std::span(text)));
  }
  const std::string names[] = {own, name};
  sync_files(std::span(names).first(1));
  rename(own, name);
  sync_names(std::span(names).last(1));
}

std::optional<std::string> ChunkFolder::text(const std::string& name,
                                             std::uint64_t bytes_max) const {
  const auto size = size_bytes(name);
  if (!size) return std::nullopt;
  if (*size > bytes_max)
    throw Error(ErrorCode::limit,
                fmt::format("{}/{}: has more than {} bytes", folder(), name, bytes_max));
  std::string found(*size, '\0');
  if (!read(name, 0, std::as_writable_bytes(std::span(found)))) return std::nullopt;
  return found;
}

void PosixFolder::fail(const std::string& name, const char* what, int reason) const {
  throw Error(ErrorCode::environment,
              fmt::format("{}: {}: {}", path(name), what, std::strerror(reason)));
}

bool PosixFolder::exists() const {
  return ::access(folder_.c_str(), F_OK) == 0;
}

std::optional<std::uint64_t> PosixFolder::size_bytes(const std::string& name) const {
  struct stat status = {};
  if (::stat(path(name).c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail(name, "cannot read its status", errno);
  }
  if (!S_ISREG(status.st_mode)) fail(name, "is no regular file", EINVAL);
  return static_cast<std::uint64_t>(status.st_size);
}

bool PosixFolder::read(const std::string& name, std::uint64_t offset,
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

void PosixFolder::make_folder_of(const std::string& name) const {
  if (root_ == Root::made) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) fail(name, "cannot make its folder", error.value());
  }
  for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1))
    if (::mkdir(path(name.substr(0, at)).c_str(), 0777) != 0 && errno != EEXIST)
      fail(name, "cannot make its folder", errno);
}

int PosixFolder::open_to_write(const std::string& name) const {
  const auto open = [&] {
    return ::open(path(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  };
  int file = open();
  if (file < 0 && errno == ENOENT) {
    make_folder_of(name);
    file = open();
  }
  if (file < 0) fail(name, "cannot open it", errno);
  return file;
}

void PosixFolder::put_bytes(int file, const std::string& name, std::uint64_t at,
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

void PosixFolder::write(const std::string& name, std::uint64_t offset,
                        std::span<const std::byte> from, std::uint64_t file_bytes) {
  const Descriptor file(open_to_write(name));
  // Blocks that lie together: whoever comes first asks for all of them.
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) fail(name, "cannot read its status", errno);
  if (static_cast<std::uint64_t>(status.st_size) < file_bytes &&
      offset + from.size() < file_bytes &&
      ::fallocate(file.number(), 0, 0, offset_of(file_bytes)) != 0 && errno == ENOSPC)
    fail(name, "cannot reserve its space", errno);
  put_bytes(file.number(), name, offset, from);
}

void PosixFolder::sync() const {
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // One call for the whole file system: there may be millions of parts, in folders of their own.
  if (folder.number() < 0 || ::syncfs(folder.number()) != 0)
    fail("", "cannot sync it to disk", errno);
}

std::string PosixFolder::stamp(const std::string& name) const {
  struct stat status = {};
  if (::stat(path(name).c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return "";
    fail(name, "cannot read its status", errno);
  }
  return fmt::format("{} {} {} {}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                     status.st_ino);
}

std::unique_ptr<RandomFile> PosixFolder::open(const std::string& name) {
  ::close(open_to_write(name));
  return std::make_unique<PosixFile>(
      path(name),
      RandomFileOptions{.access = FileAccess::write, .io = FileIo::buffered, .start_byte = 0});
}

void PosixFolder::rename(const std::string& from, const std::string& to) {
  const auto renamed = [&] { return ::rename(path(from).c_str(), path(to).c_str()) == 0; };
  if (renamed()) return;
  if (errno == ENOENT) {
    make_folder_of(to);
    if (renamed()) return;
  }
  fail(to, "cannot put it in place", errno);
}

void PosixFolder::remove(const std::string& name) {
  std::error_code error;
  std::filesystem::remove_all(path(name), error);
  if (error && error != std::errc::not_a_directory) fail(name, "cannot remove it", error.value());
}

void PosixFolder::sync_one(const std::string& name, int flags) const {
  const Descriptor file(::open(path(name).c_str(), flags | O_RDONLY | O_CLOEXEC));
  if (file.number() < 0 || (::fsync(file.number()) != 0 && errno != EINVAL))
    fail(name, "cannot sync it to disk", errno);
}

void PosixFolder::sync_files(std::span<const std::string> names) {
  if (names.size() > synced_singly_max) return sync();
  for (const std::string& name : names) sync_one(name, 0);
}

void PosixFolder::sync_names(std::span<const std::string> names) {
  // The folder of each, and the folders that these are in.
  std::set<std::string> folders{""};
  for (const std::string& name : names)
    for (std::size_t at = name.rfind('/'); at != std::string::npos && at != 0;
         at = name.rfind('/', at - 1))
      folders.insert(name.substr(0, at));
  if (folders.size() > synced_singly_max) return sync();
  for (const std::string& folder : folders) sync_one(folder, O_DIRECTORY);
}

std::uint64_t PosixFolder::free_bytes() const {
  struct statvfs disk = {};
  if (::statvfs(folder_.c_str(), &disk) != 0) return UINT64_MAX;
  return disk.f_bavail * disk.f_frsize;
}

std::optional<std::uint64_t> PosixFolder::count_files() const {
  // "0", "c.0.1", "1.2": what somebody moved aside is no chunk.
  constexpr const char* chunk_letters = "0123456789.c";
  std::uint64_t count = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder_, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    std::error_code none;
    if (name.starts_with('.'))
      at.disable_recursion_pending();
    else if (name.find_first_not_of(chunk_letters) == std::string::npos &&
             at->is_regular_file(none))
      ++count;
  }
  if (error && error != std::errc::no_such_file_or_directory)
    fail("", "cannot be read", error.value());
  return count;
}

void PosixFolder::move(const std::string& to) const {
  if (::rename(folder_.c_str(), to.c_str()) != 0) {
    const int reason = errno;
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot put it in place: {}", to, std::strerror(reason)));
  }
}

std::string own_name() {
  static std::atomic<std::uint64_t> calls{0};
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return fmt::format("{}-{}-{}", host.data(), ::getpid(), calls.fetch_add(1));
}

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (std::error_code none; at->is_directory(none)) names.push_back(at->path().filename());
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error(ErrorCode::environment,
                fmt::format("{}: cannot be read: {}", folder, error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace faro::inline v1::files
