// What a caller must keep to, refused in words; check.hpp is for what only a bug can break.
//
//   require(rows == columns, "a matrix of {} rows and {} columns has no inverse", rows, columns);
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
