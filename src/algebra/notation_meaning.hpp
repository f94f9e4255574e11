// The meaning of terms: lists of affine forms of the source bits.
#pragma once

#include <string_view>
#include <vector>

#include "notation_syntax.hpp"

namespace faro::notation {

// One bit of a result: parity(source & mask) ^ inverted.
struct Form {
  Word mask = 0;
  bool inverted = false;
};

using Forms = std::vector<Form>;  // most significant first

// A field with its place among the source bits: bits low .. low + width - 1.
struct PlacedField {
  std::string_view name;
  int low = 0;
  int width = 0;
};

// Throws NotationError: name, range, width.
Forms forms_of(const Terms& terms, const std::vector<PlacedField>& fields, std::string_view text);
Forms forms_of(const Term& term, const std::vector<PlacedField>& fields, std::string_view text);

}  // namespace faro::notation
