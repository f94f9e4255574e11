// Which digits of the source are there, twice or not at all.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "words/fields.hpp"

namespace faro::inline v1::words {

// Places of the source index that digits take.
class Occupied {
 public:
  void add(const Forms& forms);
  bool meets(const Form& form) const;

 private:
  std::vector<std::pair<Word, Word>> spans_;  // [low, last]
};

struct Side;

// Throws NotationError(singular) at the first term whose digits are there already, or at `end`
// where some are lost.
void check_each_once(const Side& side, const PlacedFields& fields, std::size_t end,
                     std::string_view text);

}  // namespace faro::inline v1::words
