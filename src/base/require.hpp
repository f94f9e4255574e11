// What a caller must keep to, refused in words; check.hpp is for what only a bug can break.
//
//   require(f.width() == g.width(), "a map of {} bits cannot follow one of {}", g.width(), f.width());
#pragma once

#include <fmt/format.h>

#include <utility>

#include "faro/base/error.hpp"

namespace faro::inline v1 {

template <class... Values>
void require(bool kept, fmt::format_string<Values...> words, Values&&... values) {
  if (!kept) throw Error(ErrorCode::usage, fmt::format(words, std::forward<Values>(values)...));
}

}  // namespace faro::inline v1
