// How much a test run covers: a fixed subset, or with FARO_FULL=1 the whole ranges.
#pragma once

#include <cstdlib>
#include <string_view>

namespace faro::testing {

inline bool full_run() {
  const char* value = std::getenv("FARO_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

// True in builds with a sanitizer or for an emulator, which are several times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(FARO_EMULATED)
#define FARO_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FARO_SANITIZED 1
#endif
#endif
#ifndef FARO_SANITIZED
#define FARO_SANITIZED 0
#endif
constexpr bool sanitized() {
  return FARO_SANITIZED != 0;
}

}  // namespace faro::testing
