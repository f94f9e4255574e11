// What every function of a C API does: exceptions become statuses, NULL and unknown layouts are
// refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/c/faro.h"

namespace faro::inline v1::c {

// What faro_last_error() says, of the library that includes this.
inline thread_local std::string last_error;

inline faro_status failed(faro_status status, const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
  return status;
}

// Runs `work`; what it throws becomes a status.
template <class Work>
faro_status guarded(Work&& work) noexcept {
  try {
    work();
    return FARO_OK;
  } catch (const Error& error) {
    return failed(static_cast<faro_status>(exit_code(error.code())), error.what());
  } catch (const std::bad_alloc&) {
    return failed(FARO_ENVIRONMENT, "out of memory");
  } catch (const std::exception& error) {
    return failed(FARO_INTERNAL, error.what());
  } catch (...) {
    return failed(FARO_INTERNAL, "an unknown error");
  }
}

// `names` are those of the pointers: need("faro_map_inverse", "map inverse", map, inverse).
template <class... Pointers>
void need(const char* function, std::string_view names, const Pointers*... pointers) {
  for (const void* const pointer : {static_cast<const void*>(pointers)...}) {
    const std::string_view name = names.substr(0, names.find(' '));
    if (pointer == nullptr)
      throw Error(ErrorCode::usage, std::string(function) + ": " + std::string(name) + " is NULL");
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
}

// The lengths of so many axes; nothing without axes, where `shape` may be NULL.
inline std::optional<std::vector<std::uint64_t>> shape_of(const char* function, int axes,
                                                          const std::uint64_t* shape) {
  if (axes < 0 || axes > int{limits::npy_axes_max})
    throw Error(ErrorCode::usage,
                "an array of " + std::to_string(axes) + " axes; 0 to 64 are possible");
  if (axes == 0) return {};
  need(function, "shape", shape);
  return std::vector<std::uint64_t>(shape, shape + axes);
}

// What the caller's struct holds, over the defaults; later fields that it lacks keep theirs.
template <class Struct>
Struct taken(const Struct& given, const Struct& defaults) {
  constexpr std::size_t head = offsetof(Struct, version) + sizeof(given.version);
  if (given.struct_size < head || given.version == 0 || given.version > FARO_C_VERSION) {
    throw Error(ErrorCode::usage, "a struct of size " + std::to_string(given.struct_size) +
                                      " and version " + std::to_string(given.version) +
                                      "; set it from its initialiser");
  }
  Struct all = defaults;
  std::memcpy(&all, &given, std::min(sizeof(Struct), given.struct_size));
  return all;
}

// A member that is 0 or 1, and one that says nothing yet.
inline bool flag(const char* member, std::int32_t value) {
  if (value != 0 && value != 1)
    throw Error(ErrorCode::usage, std::string(member) + " is 0 or 1, not " + std::to_string(value));
  return value != 0;
}
inline void unused(const char* member, std::int32_t value) {
  if (value != 0)
    throw Error(ErrorCode::usage,
                std::string(member) + " is 0 in this version, not " + std::to_string(value));
}

}  // namespace faro::inline v1::c
