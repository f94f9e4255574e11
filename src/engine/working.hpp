// The working memory of all threads of an execution: on the stack where one thread needs little,
// for an allocation costs what moving two thousand bytes does; else each thread's on pages of its
// own.
#pragma once

#include <cstddef>

#include "base/aligned_bytes.hpp"
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
    memory_ = AlignedBytes(each_ * static_cast<std::size_t>(threads));
  }
  std::byte* of(int thread) {
    return memory_.size() == 0 ? small_ : memory_.data() + each_ * static_cast<std::size_t>(thread);
  }

 private:
  // Two tiles of elements of 8 bytes.
  alignas(line_bytes) std::byte small_[std::size_t{1} << 14U];
  std::size_t each_ = 0;
  AlignedBytes memory_;
};

}  // namespace faro::inline v1::engine
