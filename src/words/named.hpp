// Named maps on any number of elements.
#pragma once

#include <string>
#include <string_view>

#include "faro/algebra/map.hpp"
#include "faro/algebra/notation.hpp"

namespace faro::inline v1::words {

// Throws NotationError: impossible, name, size, width. `at` is where the name stands.
Map named_map(std::string_view name, Count elements, std::size_t at, std::string_view text);

// Whether there is a map of that name.
bool is_named_map(std::string_view name);

}  // namespace faro::inline v1::words
