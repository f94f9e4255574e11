// The one affine map that a table may be, and where the table denies it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::layouts {

struct Candidate {
  BitMatrix matrix;
  Word complement = 0;
  std::optional<Word> denied_at;  // the first index that goes elsewhere
};

// Requires 2^p entries below 2^p.
Candidate candidate_of(std::span<const std::uint64_t> table);

// "0, 2 and 4": the entries that determine that of index 6.
std::string images_that_say(Word index);

}  // namespace faro::inline v1::layouts
