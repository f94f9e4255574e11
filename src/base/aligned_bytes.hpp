// Memory that begins on a page: stores of whole lines that cross two lines cost twice.
#pragma once

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
    constexpr std::size_t page = 4096;
    if (bytes > SIZE_MAX - page) throw std::bad_alloc();
    data_.reset(
        static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)));
    if (data_ == nullptr) throw std::bad_alloc();
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
