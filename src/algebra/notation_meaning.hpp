// The meaning of terms: lists of affine forms of the source bits.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "algebra/notation_syntax.hpp"

namespace faro::inline v1::notation {

// One digit of a result: a bit, parity(source & mask) ^ inverted, or a length that moves whole.
struct Form {
  Word mask = 0;
  bool inverted = false;  // of a length: reversed
  int length = -1;        // a length: which field it is
};

using Forms = std::vector<Form>;  // most significant first

// A field with its place among the source bits: bits low .. low + width - 1, none for a length.
struct PlacedField {
  std::string_view name;
  int low = 0;
  int width = 0;
  Word length = 0;  // 0 for bits
};

// What every term of the right side says, those left of '|' first. The term `rest`, where no field
// has that name, is all that the others leave out. Throws NotationError: name, range, width.
using TermForms = std::vector<std::pair<const Term*, Forms>>;
TermForms forms_of(const Arrow& arrow, const std::vector<PlacedField>& fields,
                   std::string_view text);

}  // namespace faro::inline v1::notation
