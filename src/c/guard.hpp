// What every function of a C API does: exceptions become statuses, NULL and unknown layouts are
// refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <string>

#include "faro/base/error.hpp"
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

template <class... Pointers>
void need(const char* function, const Pointers*... pointers) {
  const void* const all[] = {pointers...};
  if (std::find(std::begin(all), std::end(all), nullptr) != std::end(all)) {
    throw Error(ErrorCode::usage, std::string(function) + ": a NULL argument");
  }
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

}  // namespace faro::inline v1::c
