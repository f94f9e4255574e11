// What the files of the C API share beside the guard.
#pragma once

#include <algorithm>
#include <cstring>

#include "c/guard.hpp"
#include "faro/algebra/map.hpp"
#include "faro/base/progress.hpp"

struct faro_map {
  faro::Map map;
};

namespace faro::inline v1::c {

// As much as the caller's struct has room for.
template <class Struct>
void give(const Struct& all, Struct& to) {
  std::memcpy(&to, &all, std::min(sizeof(Struct), to.struct_size));
}

inline Progress watched(faro_progress progress, void* context) {
  if (progress == nullptr) return {};
  return [progress, context](std::uint64_t done, std::uint64_t total) {
    return progress(context, done, total) == 0 ? Continue::yes : Continue::no;
  };
}

}  // namespace faro::inline v1::c
