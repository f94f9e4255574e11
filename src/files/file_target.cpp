#include "files/file_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1 {
namespace {

// "x/y/z" -> "x/y", "z" -> ".", "/z" -> "/".
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string read_link(const std::string& path) {
  std::string text(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), text.data(), text.size());
  if (length < 0) return "";
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

void FileTarget::fail(const std::string& what, int reason) const {
  throw Error(ErrorCode::environment, fmt::format("{}: {}: {}", path, what, std::strerror(reason)));
}

std::string FileTarget::last_name() const {
  return target.substr(target.rfind('/') + 1).substr(0, 200);
}

namespace {

[[noreturn]] void refuse_device(const std::string& path) {
  throw Error(
      ErrorCode::environment,
      fmt::format("{}: is no regular file, so it cannot be replaced by a complete one; write "
                  "to - and redirect standard output",
                  path));
}

}  // namespace

// Follows symbolic links by hand, since the last one may point to what does not exist yet.
FileTarget FileTarget::find(const std::string& path) {
  FileTarget found;
  found.path = found.target = path;
  if (path.empty()) found.fail("cannot write", ENOENT);
  struct stat status = {};
  for (int links = 0;; ++links) {
    if (::lstat(found.target.c_str(), &status) != 0) {
      if (errno != ENOENT) found.fail("cannot write", errno);
      // "x/" names a folder that does not exist.
      if (found.target.back() == '/') found.fail("cannot write", EISDIR);
      break;
    }
    if (!S_ISLNK(status.st_mode)) {
      if (S_ISDIR(status.st_mode)) found.fail("cannot replace", EISDIR);
      if (!S_ISREG(status.st_mode)) refuse_device(path);
      // A rename would not ask.
      if (::faccessat(AT_FDCWD, found.target.c_str(), W_OK, AT_EACCESS) != 0)
        found.fail("the file is write-protected", errno);
      found.replaces = true;
      found.mode = status.st_mode & 07777U;
      found.owner = status.st_uid;
      found.group = status.st_gid;
      break;
    }
    // A link into /proc, as /dev/stdout is, leads to what has no name: a pipe.
    struct stat end = {};
    if (::stat(found.target.c_str(), &end) == 0 && !S_ISREG(end.st_mode) && !S_ISDIR(end.st_mode))
      refuse_device(path);
    if (links == limits::symlinks_max) found.fail("cannot follow its symbolic links", ELOOP);
    const std::string link = read_link(found.target);
    if (link.empty()) found.fail("cannot follow its symbolic link", errno);
    found.target = link.front() == '/' ? link : folder_of(found.target) + "/" + link;
  }
  found.folder = folder_of(found.target);
  return found;
}

void FileTarget::hand_over(int file, Made made) const {
  if (replaces) {
    unsigned kept = mode;
    struct stat status = {};
    if (::fstat(file, &status) != 0) fail("cannot read the new file's status", errno);
    // Ownership first, since it may clear permission bits. Only root can give files away; the
    // content matters more.
    if (status.st_uid != owner || status.st_gid != group) {
      if (::fchown(file, owner, group) != 0) kept &= 0777U;
    }
    if (::fchmod(file, kept) != 0) fail("cannot keep its permissions", errno);
  } else if (made == Made::hidden) {
    const mode_t hidden = ::umask(0);
    ::umask(hidden);
    if (::fchmod(file, 0666U & ~hidden) != 0) fail("cannot set its permissions", errno);
  }
}

void FileTarget::sync_folder() const {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() < 0) {
    // A folder that may be written but not read cannot be synced; the file itself is.
    if (errno == EACCES) return;
    fail("is complete, but its folder cannot be opened to sync it", errno);
  }
  // Some file systems sync no folders and say EINVAL.
  if (::fsync(opened.number()) != 0 && errno != EINVAL)
    fail("is complete, but its folder could not be synced", errno);
}

}  // namespace faro::inline v1
