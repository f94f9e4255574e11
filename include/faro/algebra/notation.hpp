// The notation: how people say a map.
//
//   r:3 c:2 -> c r                       transpose; the right side reads as the shape of the result
//   i:8 -> rev(i)        gray:8          functions, named maps
//   a:4 | m:3 -> ungray(a) | m           '|' cuts processor bits | memory bits
//   cyclic:4|16 => consecutive           from one layout to another
//   [-0, 3, -1, -2]                      source bit b goes to position |A_b|
//   matrix(0x2, 0x1) ^ 0x1               what no words fit
//
// The left side names the bits of the source index, most significant first, the right side writes
// the destination index the same way: `r:3 c:2 -> c r` sends 6 = (row 001, column 10) to 17 = (10,
// 001). faro/words/say.hpp reads it. docs/notation.md is the whole definition. Printing gives one
// canonical text a map, which is read back to the same map. Texts of at most 16384 characters, maps
// of at most 64 bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "faro/algebra/layout.hpp"
#include "faro/algebra/map.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {

// The classes of error, in the order in which they are looked for, mostly: size before width.
enum class NotationFault {
  lex,         // a character or a number that is none
  syntax,      // a word out of place
  name,        // unknown, twice, reserved
  size,        // a width missing or contradicted
  range,       // a bit, slice, number, column or rotation too large
  width,       // '^', zip, unzip, matrix of unequal widths; an odd width
  cut,         // '|' in different places
  singular,    // not invertible
  limit,       // beyond a maximum (ErrorCode::limit)
  impossible,  // no map can say it (ErrorCode::impossible)
  adds,        // a roll whose carries would leave its digit (ErrorCode::impossible)
};

const char* name_of(NotationFault fault);

// what() is three lines: the fault with its column, the text, a caret below the place.
class NotationError : public Error {
 public:
  NotationError(NotationFault fault, std::size_t at, const std::string& reason,
                std::string_view text);
  NotationFault fault() const { return fault_; }
  std::size_t at() const { return at_; }  // offset in the text, from 0
  const std::string& reason() const { return reason_; }
  // Whether data or a machine of another size would do.
  bool is_of_sizes() const;
  // The same, told of the data or the machine that the text was to fit: "WHOM: size at column ...".
  NotationError told_of(std::string_view whom) const;

 private:
  NotationError(const NotationError& other, const std::string& message);

  NotationFault fault_;
  std::size_t at_;
  std::string reason_;
};

// Where '|' stands. It belongs to the text beside the map.
struct Cut {
  enum class Kind {
    none,    // no '|'
    both,    // source and destination are processor | memory, cut at the same place
    layout,  // an index goes to processor | memory
  };
  Kind kind = Kind::none;
  int processor_bits = 0;  // left of '|'
  friend bool operator==(const Cut&, const Cut&) = default;
};

// Bits known from the data or the machine, which a layout's words may leave out.
struct KnownSizes {
  std::optional<int> total = {};
  std::optional<int> processor = {};
};

struct Field {
  std::string name;
  int width = 0;
  friend bool operator==(const Field&, const Field&) = default;
};

// A map of bits with the names of its source's.
struct Notation {
  BitMap map;
  Cut cut;
  std::vector<Field> fields;  // the source's bits as the text names them, most significant first
};

// One of the layouts of Table 1 by its words, "cyclic binary||gray" or "cyclic:6|6 gray". Throws
// NotationError.
Layout parse_layout(std::string_view text, const KnownSizes& known = {});

// The canonical text: say gives back map and cut.
std::string to_notation(const BitMap& map, const Cut& cut = {});

// The notation of tensor maps: fields of bits `b:8` and fields of any length `r=100`.
//
//   r=100 b:8 c=64 -> c rev(b) r     shape (100, 256, 64) becomes (64, 256, 100), the middle axis
//                                    in bit-reversed order
//   r c -> c ~r                      lengths from the array: its transpose, columns backwards
//
// A length cannot be taken apart: it stands on the right exactly once, alone, beside others, in
// parentheses, behind '~' (n-1-x) or rolled. What takes bits (slices, '^', rev, gray, ..) takes
// powers of two only; they mix freely past lengths. docs/notation.md is the whole definition.

// Where '|' stands: the product of the digits left of it.
struct TensorCut {
  Cut::Kind kind = Cut::Kind::none;
  Word processors = 1;
  friend bool operator==(const TensorCut&, const TensorCut&) = default;
};

struct TensorField {
  std::string name;
  Word length = 1;
  bool bits = false;  // written or taken as bits
  friend bool operator==(const TensorField&, const TensorField&) = default;
};

// The canonical text: say gives back map and cut. For a map of bits that of the
// bit map, otherwise fields a, b, .. in the order of the source. Throws Error(impossible) where '|'
// would cut a digit of the source, as `=>` may have it.
std::string to_notation(const Map& map, const TensorCut& cut = {});

}  // namespace faro::inline v1
