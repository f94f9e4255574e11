// What several commands do with the text of a map.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "faro/words/say.hpp"

namespace faro::cli {

// --shape, else the 2^width elements of --width. Throws Error(limit) beyond 64 bits, Error(usage)
// where the two disagree.
Sizes sizes_from(const std::optional<std::string>& shape, std::optional<std::uint64_t> width);

}  // namespace faro::cli
