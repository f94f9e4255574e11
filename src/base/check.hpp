// Checks of what only a bug can break. They stay on in every build and throw InternalError, whose
// message has the condition and its place.
//
//   FARO_CHECK(matrix.rows() == map.width());
//
// What a user can cause is no matter for a check: it throws an Error that says how to go on.
#pragma once

#include <string_view>

namespace faro::inline v1 {

[[noreturn]] void check_failed(std::string_view condition, std::string_view file, int line);

}  // namespace faro::inline v1

// The one macro of the library: it must see the condition's text and place.
#define FARO_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::faro::check_failed(#condition, __FILE__, __LINE__))
