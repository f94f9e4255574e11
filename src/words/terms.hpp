// The meaning of terms right of '->': digits of the source index.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "words/fields.hpp"

namespace faro::inline v1::words {

struct Side {
  std::vector<std::pair<const notation::Term*, Forms>> terms;  // those left of '|' first
  std::vector<Word> axes;  // what each is long; `rest` is an axis for each field it is of
  Count processors = 1;    // of all left of '|'
};

// Throws NotationError: name, range, width, adds, then singular at the first term whose digits are
// there already.
Side side_of(const notation::Arrow& arrow, const PlacedFields& fields, std::string_view text);

}  // namespace faro::inline v1::words
