// Memory that begins on a page: stores of whole lines that cross two lines cost twice. Much of it
// takes large pages where the system offers them: maps visit so many small ones that looking up
// where they are takes as long as moving what is there.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace faro::inline v1 {

// Not initialised.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    constexpr std::size_t small_page = 4096;
    constexpr std::size_t large_page = std::size_t{2} << 20U;
    const std::size_t page = bytes < 2 * large_page ? small_page : large_page;
    if (bytes > SIZE_MAX - page) throw std::bad_alloc();
    // aligned_alloc would take whole large pages, of what may be a cap.
    void* data = nullptr;
    if (::posix_memalign(&data, page, (bytes + small_page - 1) / small_page * small_page) != 0)
      throw std::bad_alloc();
    data_.reset(static_cast<std::byte*>(data));
    if (page == large_page) ::madvise(data_.get(), bytes, MADV_HUGEPAGE);
  }

  std::byte* data() const { return data_.get(); }
  std::size_t size() const { return bytes_; }
  std::span<std::byte> all() const { return {data_.get(), bytes_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace faro::inline v1
