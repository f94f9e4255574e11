// The notation alone, of maps with any lengths.
#pragma once

#include "faro/words/say.hpp"

namespace faro::inline v1::words {

Said say_notation(std::string_view text, const Sizes& sizes);

}  // namespace faro::inline v1::words
