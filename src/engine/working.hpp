// The working memory of all threads of an execution: on the stack where one thread needs little,
// for an allocation costs what moving two thousand bytes does; else each thread's on pages of its
// own.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "engine/tile_plan.hpp"

namespace faro::inline v1::engine {

// Parts that the work of a thread is cut into.
inline constexpr Word parts_per_thread = 8;

class Working {
 public:
  Working(std::size_t each, int threads) {
    if (threads == 1 && each <= sizeof small_) return;
    each_ = (each + page_bytes - 1) / page_bytes * page_bytes;
    if (each_ == 0) each_ = page_bytes;
    memory_.reset(static_cast<std::byte*>(
        std::aligned_alloc(page_bytes, each_ * static_cast<std::size_t>(threads))));
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  std::byte* of(int thread) {
    return memory_ == nullptr ? small_ : memory_.get() + each_ * static_cast<std::size_t>(thread);
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  // Two tiles of elements of 8 bytes.
  alignas(line_bytes) std::byte small_[std::size_t{1} << 14U];
  std::size_t each_ = 0;
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace faro::inline v1::engine
