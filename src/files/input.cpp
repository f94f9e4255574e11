// Files to read: mapped where that is possible, else read as a stream.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "base/cores.hpp"
#include "base/parallel.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"
#include "files/storage.hpp"

namespace faro::inline v1 {
namespace {

[[noreturn]] void fail(const std::string& name, const char* what, int reason) {
  throw Error(ErrorCode::environment, fmt::format("{}: {}: {}", name, what, std::strerror(reason)));
}

[[noreturn]] void fail_to_open(const std::string& name, const char* what, int reason) {
  if (reason == ENOENT)
    if (const std::string why = files::taken_by_work_in_place(name); !why.empty())
      throw Error(ErrorCode::environment, fmt::format("{}: {}", name, why));
  fail(name, what, reason);
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) ::close(number_);
    number_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

int Descriptor::release() {
  return std::exchange(number_, -1);
}

Mapping::Mapping(const Descriptor& file, std::uint64_t size, Access access,
                 const std::string& name) {
  if (size == 0) return;
  const int protection = access == Access::read ? PROT_READ : PROT_READ | PROT_WRITE;
  void* start = ::mmap(nullptr, size, protection, MAP_SHARED, file.number(), 0);
  if (start == MAP_FAILED) fail(name, "cannot map the file into memory", errno);
  data_ = static_cast<std::byte*>(start);
  size_ = size;
  access_ = access;
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      access_(other.access_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this != &other) {
    if (size_ != 0) ::munmap(data_, size_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    access_ = other.access_;
  }
  return *this;
}

void Mapping::prefault() const {
  // More than half of memory would only push out what was fetched first.
  const auto memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                            static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (size_ == 0 || size_ > memory_bytes / 2) return;
#ifdef MADV_POPULATE_WRITE
  const int advice = access_ == Access::write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
  // The kernel clears new pages, at the speed of one core; more than a few only wait for memory.
  constexpr std::size_t share_bytes_min = std::size_t{1} << 24U;
  const std::size_t workers = std::clamp<std::size_t>(
      std::min(static_cast<std::size_t>(cores_available()), size_ / share_bytes_min), 1, 4);
  // Whole huge pages, so that no two workers meet in one.
  const std::size_t share_bytes = (size_ / workers + share_bytes_min - 1) & ~(share_bytes_min - 1);
  in_parallel(static_cast<int>(workers), workers, [&](std::uint64_t part, int) {
    const std::size_t begin = std::min<std::size_t>(part * share_bytes, size_);
    ::madvise(data_ + begin, std::min(share_bytes, size_ - begin), advice);
  });
#endif
}

Mapping::~Mapping() {
  if (size_ != 0) ::munmap(data_, size_);
}

InputFile InputFile::open(const std::string& path) {
  InputFile input;
  input.name_ = path == "-" ? "standard input" : path;
  const int number = path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) fail_to_open(input.name_, "cannot open", errno);
  input.file_ = Descriptor(number);
  struct stat status = {};
  if (::fstat(number, &status) != 0) fail(input.name_, "cannot read its status", errno);
  if (S_ISDIR(status.st_mode)) fail(input.name_, "cannot read", EISDIR);
  input.mappable_ = S_ISREG(status.st_mode) && ::lseek(number, 0, SEEK_CUR) == 0;
  if (input.mappable_) input.size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  return input;
}

Mapping InputFile::map() const {
  FARO_CHECK(mappable_);
  return {file_, size_bytes_, Mapping::Access::read, name_};
}

std::size_t InputFile::read(std::span<std::byte> into) {
  for (;;) {
    const ssize_t count = ::read(file_.number(), into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) fail(name_, "cannot read", errno);
  }
}

std::size_t InputFile::read_full(std::span<std::byte> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::size_t count = read(into.subspan(done));
    if (count == 0) break;
    done += count;
  }
  return done;
}

}  // namespace faro::inline v1
