// A byte source as the stream that the JSON parser reads, with the two guards that the parser
// lacks: it keeps a whole string or number in memory, so that their length is bounded here.
#pragma once

#include <fmt/format.h>

#include <array>
#include <streambuf>
#include <string>
#include <string_view>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"
#include "faro/base/progress.hpp"

namespace faro::inline v1::json {

// What the parser says of text that is no JSON, in our words.
inline std::string why_no_json(std::size_t position, std::string_view what) {
  // "[name of the error] parse error at line 2, column 1: syntax error while parsing object key -
  // unexpected end of input; expected string literal": the line, the column and what was wanted.
  if (const std::size_t end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
  std::string place = fmt::format("byte {}", position);
  constexpr std::string_view at = "parse error at ";
  if (const std::size_t end = what.find(": "); what.starts_with(at) && end != what.npos) {
    place += fmt::format(", {}", what.substr(at.size(), end - at.size()));
    what.remove_prefix(end + 2);
  }
  constexpr std::string_view parsing = "syntax error while parsing ";
  if (const std::size_t end = what.find(" - "); what.starts_with(parsing) && end != what.npos)
    what.remove_prefix(end + 3);
  return fmt::format("no JSON: {}: {}", place, what);
}

class GuardedStream : public std::streambuf {
 public:
  explicit GuardedStream(ByteSource& source) : source_(source) {}

 protected:
  int_type underflow() override {
    const std::size_t count = source_.read(std::as_writable_bytes(std::span(buffer_)));
    if (count == 0) return traits_type::eof();
    guard(count);
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_[0]);
  }

 private:
  // A token is a string, or what stands between blanks and punctuation.
  void guard(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const char c = buffer_[i];
      if (in_string_) {
        const bool ends = c == '"' && !escaped_;
        escaped_ = c == '\\' && !escaped_;
        in_string_ = !ends;
        token_bytes_ = ends ? 0 : token_bytes_ + 1;
      } else if (c == '"') {
        in_string_ = true;
        token_bytes_ = 0;
      } else if (c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}' ||
                 static_cast<unsigned char>(c) <= ' ') {
        token_bytes_ = 0;
      } else {
        ++token_bytes_;
      }
      if (token_bytes_ > limits::json_token_bytes_max)
        throw Error(ErrorCode::limit, fmt::format("a string or number longer than {} bytes",
                                                  limits::json_token_bytes_max));
    }
  }

  ByteSource& source_;
  std::array<char, 65536> buffer_;
  bool in_string_ = false;
  bool escaped_ = false;
  std::size_t token_bytes_ = 0;
};

}  // namespace faro::inline v1::json
