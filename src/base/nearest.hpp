// What somebody may have meant by a name that there is not.
//
//   nearest("BitReversl", names)     "bit-reversal"; empty where none is near
#pragma once

#include <span>
#include <string_view>

namespace faro::inline v1 {

// Compares small letters, without '-' and '_': one letter in three may differ, and a name may be
// cut short after three.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

}  // namespace faro::inline v1
