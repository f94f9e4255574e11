// The fields of words: their lengths from what the words say and what is known, and their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "algebra/notation_syntax.hpp"
#include "faro/words/say.hpp"
#include "words/forms.hpp"

namespace faro::inline v1::words {

struct PlacedField {
  std::string_view name;
  Count length = 1;  // up to 2^64
  Word low = 1;      // where its digit stands in the source index
};

struct PlacedFields {
  std::vector<PlacedField> list;
  bool name_axes = false;  // of the array whose shape is known
  Count elements = 1;
};

// Throws NotationError: name, limit, range, size.
PlacedFields placed_fields(const notation::Arrow& arrow, const Sizes& sizes, std::string_view text);

Forms digits_of(const PlacedField& field);

// Whether all lengths stand in the words.
bool states_its_lengths(const notation::Arrow& arrow);

// The product of the shape, or the number of elements that is known.
std::optional<Count> total_of(const Sizes& sizes);

// "8 and 16 are the nearest powers of two".
std::string nearest_powers(Count length);

}  // namespace faro::inline v1::words
