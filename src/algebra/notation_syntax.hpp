// The syntax of the notation, without meaning: texts to trees. Places are kept for the messages.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "algebra/notation_tokens.hpp"

namespace faro::inline v1::notation {

enum class Function { rev, gray, ungray, zip, unzip, rot, front, back, swap, roll };

struct Number {
  Word value = 0;
  std::size_t at = 0;
};

struct Term;
using Terms = std::vector<Term>;  // juxtaposed

// A term before '~' and slices: one of a field, (terms), matrix(...)(terms), f(terms, ...).
struct Term {
  struct Slice {
    Number high;
    Number low;
  };
  // What stands at the bottom of a term. `arguments` has one entry a function's argument.
  enum class Kind { name, group, matrix, function, exclusive_or };

  Kind kind = Kind::name;
  std::size_t at = 0;
  std::string_view name;
  Function function = Function::rev;
  std::vector<Terms> arguments;
  std::vector<Number> columns;                     // matrix: as written, highest bit first
  std::optional<Number> number;                    // k of unzip, rot and roll
  bool negative = false;                           // rot(x, -k), roll(x, -k)
  std::vector<Number> bits;                        // of front, back and swap
  bool inverted = false;                           // an odd number of '~' before it
  std::vector<Slice> slices;                       // [hi:lo] after it, left to right
  std::vector<std::optional<Number>> xor_numbers;  // exclusive_or: operand i+1 is this number, or
                                                   // arguments[i+1][0] where there is none
};

struct FieldText {
  std::string_view name;
  std::size_t at = 0;
  std::optional<Number> width;   // after ':'
  std::optional<Number> length;  // after '='
};

// fields -> side [| side], or the right side of a map of one field alone: rot(i, 1), ~x
struct Arrow {
  std::vector<FieldText> left;          // processor fields first where cut
  std::vector<std::size_t> axes;        // how many fields each has: 1, or those in parentheses
  bool grouped = false;                 // some are in parentheses
  std::optional<std::size_t> left_cut;  // how many fields stand before '|'
  std::size_t arrow_at = 0;
  Terms high;  // all of the right side where not cut
  Terms low;
  bool right_cut = false;
  std::size_t end_at = 0;
};

struct Vector {
  struct Entry {
    Number place;
    bool inverted = false;
    std::size_t at = 0;
  };
  std::vector<Entry> entries;  // A_{p-1} first
};

struct Matrix {
  std::vector<Number> columns;  // highest bit first
  std::optional<Number> complement;
};

struct NamedMap {
  std::string_view name;
  std::optional<Number> width;
};

// "block" is what most people call the consecutive layout.
inline constexpr std::array<std::string_view, 3> layout_names = {"consecutive", "block", "cyclic"};

struct NamedLayout {
  std::string_view name;  // consecutive or cyclic
  std::optional<Number> processor_bits;
  std::optional<Number> memory_bits;
  std::string encoding;  // empty: the default
  std::size_t encoding_at = 0;
};

struct Text {
  std::size_t at = 0;
  std::variant<Arrow, Vector, Matrix, NamedMap, NamedLayout> what;
};

struct Tree {
  Text first;
  std::optional<Text> second;  // after '=>'
};

// Throws NotationError: limit and lex, then syntax.
Tree tree_of(std::string_view text);

bool is_reserved(std::string_view name);

// Throws NotationError: limit, size, name.
Layout layout_of(const NamedLayout& text, const KnownSizes& known, std::size_t at,
                 std::string_view words);

}  // namespace faro::inline v1::notation
