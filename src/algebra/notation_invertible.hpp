// From forms of bits to a map, or why there is none.
#pragma once

#include "algebra/notation_meaning.hpp"

namespace faro::inline v1::notation {

// The map of the `width` source bits whose rows the forms are, most significant first; lengths
// among them are passed over, but each must be there once. Throws NotationError(singular), which
// marks the first term that repeats something, or `end`, and names what is lost.
BitMap invertible(const TermForms& terms, const std::vector<PlacedField>& fields, int width,
                  std::size_t end, std::string_view text);

}  // namespace faro::inline v1::notation
