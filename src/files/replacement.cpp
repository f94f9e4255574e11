#include "faro/files/replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "faro/base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro {
namespace {

// "x/y/z" -> "x/y", "z" -> ".", "/z" -> "/".
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Cut so that what is added still fits the 255 bytes that a name may have.
std::string last_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1).substr(0, 200);
}

std::string read_link(const std::string& path) {
  std::string text(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  if (length < 0) return "";
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

Replacement::Replacement(const std::string& path) : path_(path), target_(path) {
  find_target();
  open_beside();
}

Replacement::~Replacement() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Replacement::fail(const std::string& what, int reason) const {
  throw Error(ErrorCode::environment,
              fmt::format("{}: {}: {}", path_, what, std::strerror(reason)));
}

// Follows symbolic links by hand, since the last one may point to what does not exist yet.
void Replacement::find_target() {
  if (path_.empty()) fail("cannot write", ENOENT);
  struct stat status = {};
  for (int links = 0;; ++links) {
    if (::lstat(target_.c_str(), &status) != 0) {
      if (errno != ENOENT) fail("cannot write", errno);
      // "x/" names a folder that does not exist.
      if (target_.back() == '/') fail("cannot write", EISDIR);
      break;
    }
    if (!S_ISLNK(status.st_mode)) {
      if (S_ISDIR(status.st_mode)) fail("cannot replace", EISDIR);
      if (!S_ISREG(status.st_mode))
        throw Error(ErrorCode::environment,
                    fmt::format("{}: is no regular file, so it cannot be replaced by a complete "
                                "one; write to - and redirect standard output",
                                path_));
      // A rename would not ask.
      if (::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
        fail("the file is write-protected", errno);
      replaces_ = true;
      mode_ = status.st_mode & 07777U;
      owner_ = status.st_uid;
      group_ = status.st_gid;
      break;
    }
    if (links == limits::symlinks_max) fail("cannot follow its symbolic links", ELOOP);
    const std::string link = read_link(target_);
    if (link.empty()) fail("cannot follow its symbolic link", errno);
    target_ = link.front() == '/' ? link : folder_of(target_) + "/" + link;
  }
  folder_ = folder_of(target_);
}

void Replacement::open_beside() {
  int number = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  // A file without a name gets one through /proc when it is complete.
  if (number >= 0 && ::access("/proc/self/fd", X_OK) != 0) {
    ::close(number);
    number = -1;
    errno = EOPNOTSUPP;
  }
  if (number < 0 &&
      (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)) {
    temporary_ = fmt::format("{}/.{}.faro-XXXXXX", folder_, last_name(target_));
    number = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (number < 0) temporary_.clear();
  }
  if (number < 0)
    fail(fmt::format("cannot create the new file beside it, in folder '{}'", folder_), errno);
  file_ = Descriptor(number);
}

void Replacement::reserve(std::uint64_t size) {
  FARO_CHECK(reserved_bytes_ == 0);
  if (size > static_cast<std::uint64_t>(INT64_MAX)) fail("cannot reserve its space", EFBIG);
  if (size != 0) {
    int reason = 0;
    do reason = ::posix_fallocate(file_.number(), 0, static_cast<off_t>(size));
    while (reason == EINTR);
    if (reason == ENOSPC) {
      struct statvfs disk = {};
      std::string room;
      if (::fstatvfs(file_.number(), &disk) == 0)
        room = fmt::format(", {} bytes are free", disk.f_bavail * disk.f_frsize);
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the disk has no room for it: {} bytes are needed beside the old "
                              "file{}",
                              path_, size, room));
    }
    if (reason != 0) fail(fmt::format("cannot reserve {} bytes for it", size), reason);
  }
  reserved_bytes_ = size;
}

Mapping Replacement::map() const {
  return {file_, reserved_bytes_, Mapping::Access::write, path_};
}

void Replacement::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void Replacement::write(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

// Gives a file without a name a temporary one: only a rename replaces in one step.
void Replacement::name_it() {
  if (!temporary_.empty()) return;
  const std::string self = fmt::format("/proc/self/fd/{}", file_.number());
  // Other processes may be at the same; a taken name is tried past.
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    const std::string name =
        fmt::format("{}/.{}.faro-{}-{}", folder_, last_name(target_), ::getpid(), attempt);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail(fmt::format("cannot name the new file in folder '{}'", folder_), errno);
}

void Replacement::commit(Durability durability) {
  if (replaces_) {
    struct stat status = {};
    if (::fstat(file_.number(), &status) != 0) fail("cannot read the new file's status", errno);
    // Ownership first, since it may clear permission bits. Only root can give files away; the
    // content matters more.
    if (status.st_uid != owner_ || status.st_gid != group_) {
      if (::fchown(file_.number(), owner_, group_) != 0) mode_ &= 0777U;
    }
    if (::fchmod(file_.number(), mode_) != 0) fail("cannot keep its permissions", errno);
  } else if (!temporary_.empty()) {
    // mkostemp makes files that only the owner may read.
    const mode_t hidden = ::umask(0);
    ::umask(hidden);
    if (::fchmod(file_.number(), 0666U & ~hidden) != 0) fail("cannot set its permissions", errno);
  }
  if (durability == Durability::all && ::fsync(file_.number()) != 0)
    fail("cannot sync it to disk", errno);
  name_it();
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot put it in place", errno);
  temporary_.clear();
  if (durability == Durability::all) sync_folder();
  const int number = file_.release();
  // Network file systems report a failed write here at the latest.
  if (::close(number) != 0 && errno != EINTR) fail("was replaced, but closing it failed", errno);
}

void Replacement::sync_folder() const {
  const Descriptor folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0) {
    // A folder that may be written but not read cannot be synced; the file itself is.
    if (errno == EACCES) return;
    fail("is complete, but its folder cannot be opened to sync it", errno);
  }
  // Some file systems sync no folders and say EINVAL.
  if (::fsync(folder.number()) != 0 && errno != EINVAL)
    fail("is complete, but its folder could not be synced", errno);
}

}  // namespace faro
