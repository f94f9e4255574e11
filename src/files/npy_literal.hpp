// The Python literals of a .npy header: strings, tuples of numbers, True and False, and the types
// made of them. Grammar as Python's, without what NumPy never writes (comments, joined strings,
// prefixes, underscores in numbers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "faro/files/array_file.hpp"

namespace faro::inline v1::npy {

enum class Encoding { latin1, utf8 };

class HeaderParser {
 public:
  // Parses file[begin..]; positions in messages count from the start of the file.
  HeaderParser(std::string_view file, std::size_t begin, std::string_view name, Encoding encoding)
      : text_(file), at_(begin), name_(name), encoding_(encoding) {}

  // The dictionary and the blanks after it, up to the line end that closes the header.
  void header(NpyHeader& header);
  // A type; its bytes.
  std::uint64_t type() { return type(0); }
  // Of the last type, its own, not those of structures inside.
  const std::vector<NpyField>& fields() const { return fields_; }
  void expect_end();

 private:
  std::uint64_t type(int depth);
  std::uint64_t simple_type(std::string_view code, std::size_t at);
  std::uint64_t numeric_type(char kind, char order, std::string_view digits, std::size_t at);
  void time_unit(std::string_view unit, std::size_t at);
  std::uint64_t field(int depth, std::uint64_t offset, std::set<std::string_view>& names);
  std::string_view field_name();
  std::vector<std::uint64_t> sides();
  std::uint64_t number();
  bool truth();
  // The text between the quotes, escapes not decoded.
  std::string_view string(std::string_view what);
  void escape();
  void utf8_character();

  void blanks();
  bool next_is(char c);
  bool take(char c);
  void need(char c, std::string_view what);
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  std::string found() const;
  [[noreturn]] void fail(std::size_t at, const std::string& message) const;
  [[noreturn]] void beyond(std::size_t at, const std::string& message) const;

  std::string_view text_;
  std::size_t at_;
  std::string_view name_;
  Encoding encoding_;
  std::vector<NpyField> fields_;
};

}  // namespace faro::inline v1::npy
