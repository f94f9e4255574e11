// Digits of maps: their normal form, their refinements and their compositions.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "faro/algebra/map.hpp"

namespace faro::inline v1::radix {

// Products of digits from the right, each place between two digits and the top; without 1.
using Bounds = std::set<Word>;

inline bool is_bit(const Digit& digit) {
  return digit.which == Digit::is_bit;
}

// Of digits that together are at most 2^63; a top of 2^64 is left out.
Bounds bounds_of(const std::vector<Digit>& digits);

// Throws Error(usage) or Error(limit) unless both sides have the same digits, the lengths numbered
// in the order of the source, and `bits` the width that they say.
void check_digits(const Digits& digits);

// Throws Error(impossible), naming what is rolled, for a place that moves only what is not.
void refuse_rolled(const Map& map, std::string_view place);

// Lengths of 1 left out, rolled ones in their parts, plain lengths of 2^k and rolled 2 and 4 as
// bits.
Digits with_bits(const Digits& digits);

// See the header of Map.
Digits normal_form(const Digits& digits);

// Of any digits, not made normal.
Digits inverse(const Digits& digits);

// Whether `at` is a place of this side, or one goes through a plain length there.
bool can_cut(const Digits& digits, Map::Side side, Word at);

// Splits lengths so that both sides have these bounds too. Nothing if that cannot be.
std::optional<Digits> refined(const Digits& digits, const Bounds& from, const Bounds& to);

// First f, then g, of equally many elements; not made normal. Nothing where no digits say it.
std::optional<Digits> then(const Digits& f, const Digits& g);

// `map` on the middle axis of outer x its elements x inner. Throws Error(usage) where one is 0.
Map on_middle_axis(Word outer, const Map& map, Word inner);

// "4 x 6"; bits in a row as one power of two, "8 rolled by 1".
std::string shown(const std::vector<Digit>& digits);

}  // namespace faro::inline v1::radix
