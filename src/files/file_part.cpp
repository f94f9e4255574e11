#include "files/file_part.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"

namespace faro::inline v1::files {
namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int reason) {
  throw Error(ErrorCode::environment, fmt::format("{}: {}: {}", name, what, std::strerror(reason)));
}

}  // namespace

FilePart::FilePart(const std::string& path, std::uint64_t offset, std::uint64_t bytes,
                   Access access, Hold hold)
    : file_(open_random_file(
          path, {.access = access == Access::read ? FileAccess::read : FileAccess::write,
                 .io = FileIo::buffered})),
      offset_(offset),
      bytes_(bytes) {
  if (bytes == 0) return;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  before_ = offset % page;
  region_bytes_ = (before_ + bytes + page - 1) / page * page;
  const int reserved = hold == Hold::mapped ? MAP_NORESERVE : 0;
  void* const region = ::mmap(nullptr, region_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | reserved, -1, 0);
  if (region == MAP_FAILED) fail(path, "there is no memory for its part", errno);
  region_ = static_cast<std::byte*>(region);
  data_ = region_ + before_;
  try {
    if (hold == Hold::mapped) {
      const bool writes = access == Access::write;
      shared_begin_ = writes && before_ != 0 ? page : 0;
      shared_end_ = writes ? (before_ + bytes) / page * page : region_bytes_;
      shared_end_ = std::max(shared_begin_, shared_end_);
      map_pages(access);
    } else {
      // Maps visit many pages: large ones, where they are offered.
      ::madvise(region, region_bytes_, MADV_HUGEPAGE);
      if (access == Access::read) file_->read(offset, {data_, bytes});
    }
  } catch (...) {
    ::munmap(region_, region_bytes_);
    throw;
  }
}

void FilePart::map_pages(Access access) {
  if (shared_begin_ == shared_end_) return;
  const bool writes = access == Access::write;
  const Descriptor file(::open(file_->name().c_str(), (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC));
  if (file.number() < 0) fail(file_->name(), "cannot open it", errno);
  const void* const there =
      ::mmap(region_ + shared_begin_, shared_end_ - shared_begin_,
             writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_FIXED, file.number(),
             static_cast<off_t>(offset_ - before_ + shared_begin_));
  if (there == MAP_FAILED) fail(file_->name(), "cannot map it into memory", errno);
}

FilePart::~FilePart() {
  if (region_ != nullptr) ::munmap(region_, region_bytes_);
}

void FilePart::store() {
  if (shared_begin_ == shared_end_) {
    file_->write(offset_, bytes());
  } else {
    const std::uint64_t head = shared_begin_ == 0 ? 0 : shared_begin_ - before_;
    const std::uint64_t tail = before_ + bytes_ - shared_end_;
    file_->write(offset_, bytes().first(head));
    file_->write(offset_ + bytes_ - tail, bytes().last(tail));
    if (::msync(region_ + shared_begin_, shared_end_ - shared_begin_, MS_SYNC) != 0) {
      fail(file_->name(), "cannot write", errno);
    }
  }
  file_->sync();
}

}  // namespace faro::inline v1::files
