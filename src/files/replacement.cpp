// A file written under another name beside, and renamed when it is complete.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "files/file_target.hpp"

namespace faro::inline v1 {

Replacement::Replacement(const std::string& path)
    : target_(std::make_unique<const FileTarget>(FileTarget::find(path))) {
  open_beside();
}

Replacement::~Replacement() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Replacement::fail(const std::string& what, int reason) const {
  target_->fail(what, reason);
}

void Replacement::open_beside() {
  int number = ::open(target_->folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  // A file without a name gets one through /proc when it is complete.
  if (number >= 0 && ::access("/proc/self/fd", X_OK) != 0) {
    ::close(number);
    number = -1;
    errno = EOPNOTSUPP;
  }
  if (number < 0 &&
      (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL || errno == ENOENT)) {
    temporary_ = fmt::format("{}/.{}.faro-XXXXXX", target_->folder, target_->last_name());
    number = ::mkostemp(temporary_.data(), O_CLOEXEC);
    if (number < 0) temporary_.clear();
  }
  if (number < 0)
    fail(fmt::format("cannot create the new file beside it, in folder '{}'", target_->folder),
         errno);
  file_ = Descriptor(number);
}

void Replacement::reserve(std::uint64_t size) {
  FARO_CHECK(reserved_bytes_ == 0);
  if (size > static_cast<std::uint64_t>(INT64_MAX)) fail("cannot reserve its space", EFBIG);
  if (size != 0) {
    struct statvfs disk = {};
    const bool known = ::fstatvfs(file_.number(), &disk) == 0;
    // Asked first: reserving takes all there is before it fails.
    int reason = known && size / disk.f_frsize > disk.f_bfree ? ENOSPC : 0;
    if (reason == 0) do
        reason = ::posix_fallocate(file_.number(), 0, static_cast<off_t>(size));
      while (reason == EINTR);
    if (reason == ENOSPC) {
      std::string room;
      if (known) room = fmt::format(", {} bytes are free", disk.f_bavail * disk.f_frsize);
      throw Error(ErrorCode::environment,
                  fmt::format("{}: the disk has no room for it: {} bytes are needed beside the old "
                              "file{}",
                              target_->path, size, room));
    }
    if (reason != 0) fail(fmt::format("cannot reserve {} bytes for it", size), reason);
  }
  reserved_bytes_ = size;
}

Mapping Replacement::map() const {
  return {file_, reserved_bytes_, Mapping::Access::write, target_->path};
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
  write(std::as_bytes(std::span<const char>(text)));
}

void Replacement::sync() {
  if (::fsync(file_.number()) != 0) fail("cannot sync it to disk", errno);
}

// Gives a file without a name a temporary one: only a rename replaces in one step.
void Replacement::name_it() {
  if (!temporary_.empty()) return;
  const std::string self = fmt::format("/proc/self/fd/{}", file_.number());
  // Other processes may be at the same; a taken name is tried past.
  for (unsigned attempt = 0; attempt < 1000; ++attempt) {
    std::string name = fmt::format("{}/.{}.faro-{}-{}", target_->folder, target_->last_name(),
                                   ::getpid(), attempt);
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);  // without asking for memory: nobody else knows the name
      return;
    }
    if (errno != EEXIST) break;
  }
  fail(fmt::format("cannot name the new file in folder '{}'", target_->folder), errno);
}

const std::string& Replacement::name_for_others() {
  name_it();
  return temporary_;
}

void Replacement::commit(Durability durability) {
  target_->hand_over(file_.number(),
                     temporary_.empty() ? FileTarget::Made::plain : FileTarget::Made::hidden);
  if (durability == Durability::all) sync();
  name_it();
  if (::rename(temporary_.c_str(), target_->target.c_str()) != 0)
    fail("cannot put it in place", errno);
  temporary_.clear();
  if (durability == Durability::all) target_->sync_folder();
  const int number = file_.release();
  // Network file systems report a failed write here at the latest.
  if (::close(number) != 0 && errno != EINTR) fail("was replaced, but closing it failed", errno);
}

}  // namespace faro::inline v1
