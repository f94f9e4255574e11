// What somebody may have meant by a name that there is not.
//
//   nearest("BitReversl", names)     "bit-reversal"; empty where none is near
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace faro::inline v1 {

// Compares small letters, without '-' and '_': one letter in three may differ, and a name may be
// cut short after three.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);

// How many letters differ, at the best alignment (Levenshtein).
std::size_t letters_apart(std::string_view a, std::string_view b);

}  // namespace faro::inline v1
