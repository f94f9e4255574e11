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

// The text of a map as it was given; "@FILE" and "SYSTEM:@FILE" stand for what the file says, so
// that a circuit need not fit a command line. Throws as InputFile does, and Error(limit) for long
// files.
std::string map_words(const std::string& text);

}  // namespace faro::cli
