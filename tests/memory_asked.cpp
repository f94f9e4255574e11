#include "memory_asked.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "full.hpp"

namespace {

thread_local faro::testing::MemoryAsked asked;

}  // namespace

namespace faro::testing {

MemoryAsked memory_asked_so_far() {
  return asked;
}

}  // namespace faro::testing

// Where a sanitizer counts requests itself, its own operators stay.
#if !FARO_SANITIZED

namespace {

void* memory_for(std::size_t bytes, std::size_t alignment) {
  ++asked.times;
  asked.bytes += bytes;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const found = alignment <= alignof(std::max_align_t)
                          ? std::malloc(bytes == 0 ? 1 : bytes)
                          : std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (found == nullptr) throw std::bad_alloc();
  return found;
}

}  // namespace

// The other forms of the standard library call these.
void* operator new(std::size_t bytes) {
  return memory_for(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return memory_for(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* at) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
  std::free(at);
}
void operator delete(void* at, std::align_val_t) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t, std::align_val_t) noexcept {
  std::free(at);
}

#endif
