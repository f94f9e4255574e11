// The digits of an index that terms of words stand for, each said by the flat source index x.
//
//   a part     (x div low) mod length, reversed and rolled
//   a sum      of bits (x div low) mod 2, complemented or not
//
//   r=3 c:2 on 12 elements:   r is the part of length 3 at 4, c the sums {2} and {1}
//
// A list stands for its digits, most significant first. Nothing says which fields they are from, so
// splitting, merging and comparing need no names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "faro/algebra/map.hpp"
#include "faro/algebra/notation.hpp"

namespace faro::inline v1::words {

struct Form {
  bool is_sum = false;
  std::vector<Word> bits;  // of a sum: where they stand in x, ascending
  Word low = 1;            // of a part
  Word length = 2;
  bool reversed = false;  // a sum: complemented
  Word roll = 0;          // below length
};
using Forms = std::vector<Form>;

Form part(Word low, Word length);
// The digit at `low` as bits if its length is a power of two, as a part otherwise.
Forms digit_at(Word low, Word length);
Forms bits_at(Word low, int width);
// One part an axis of an array in C order, none for a length of 1. Requires at most 2^63 elements.
std::vector<Forms> axes_of(const std::vector<Word>& shape);

Word length_of(const Form& form);
Count size_of(const Forms& forms);
void append(Forms& to, const Forms& more);
Form sum_of(const Form& a, const Form& b);  // of two sums

// As sums; nothing if it is no power of two, or rolled so that no sum says it.
std::optional<Forms> bits_of(const Form& form);
Forms complemented(Forms forms);
// Neighbours that are neighbours of the source, alike reversed, as one part.
Forms joined(const Forms& forms);
// The digits dealt to axes of these lengths; nothing where one would be cut that cannot be.
std::optional<std::vector<Forms>> dealt(const Forms& forms, const std::vector<Word>& shape);
enum class Way { forth, back };
// `by` or -by modulo the product of the digits.
Word shift_on(const Forms& forms, Word by, Way way);
// The number that the digits are, plus `shift`, which is below their product; nothing where a carry
// would leave a digit.
std::optional<Forms> rolled(const Forms& forms, Word shift);

// The map whose destination digits these are, or why there is none.
struct Made {
  std::optional<Map> map;
  NotationFault fault = NotationFault::singular;
  std::string reason;
};
Made map_of(Count elements, const Forms& forms);

}  // namespace faro::inline v1::words
