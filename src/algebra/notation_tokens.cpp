#include "algebra/notation_tokens.hpp"

#include <fmt/format.h>

#include <charconv>

#include "faro/base/limits.hpp"

namespace faro::inline v1::notation {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// The character at `at` as a message can show it: a whole UTF-8 sequence, or its code.
std::string shown_character(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x20 || lead == 0x7f) return fmt::format("\\x{:02x}", lead);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xc2 ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                                           : 4;
  if (length == 0 || lead > 0xf4 || at + length > text.size())
    return fmt::format("\\x{:02x}", lead);
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0U) != 0x80)
      return fmt::format("\\x{:02x}", lead);
  return std::string(text.substr(at, length));
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      tokens.push_back(next());
    }
    tokens.push_back({TokenKind::end, {}, text_.size(), 0});
    return tokens;
  }

 private:
  Token next() {
    const char c = text_[at_];
    if (is_digit(c)) return number();
    if (is_letter(c)) return name();
    if (text_.substr(at_, 2) == "->" || text_.substr(at_, 2) == "=>") return punctuation(2);
    if (std::string_view("[](),:|^~-=").find(c) != std::string_view::npos) return punctuation(1);
    throw NotationError(NotationFault::lex, at_,
                        fmt::format("unexpected character '{}'{}", shown_character(text_, at_),
                                    c == '+' ? "; what adds to an index is roll(i, 1)" : ""),
                        text_);
  }

  Token punctuation(std::size_t length) {
    const Token token{TokenKind::punctuation, text_.substr(at_, length), at_, 0};
    at_ += length;
    return token;
  }

  Token name() {
    const std::size_t start = at_;
    const auto word = [&](std::size_t i) {
      return i < text_.size() && (is_letter(text_[i]) || is_digit(text_[i]));
    };
    while (word(at_) || (at_ < text_.size() && text_[at_] == '-' && word(at_ + 1))) ++at_;
    return {TokenKind::name, text_.substr(start, at_ - start), start, 0};
  }

  Token number() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    const bool hexadecimal = word.size() > 2 && word.substr(0, 2) == "0x";
    const std::string_view digits = hexadecimal ? word.substr(2) : word;
    Word value = 0;
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
    const bool leading_zero = !hexadecimal && digits.size() > 1 && digits[0] == '0';
    if (end != digits.data() + digits.size() || leading_zero)
      throw NotationError(
          NotationFault::lex, start,
          fmt::format("bad number '{}': write decimal without leading zeros, or 0x...", word),
          text_);
    if (fault != std::errc())
      throw NotationError(NotationFault::limit, start, "number above 2^64 - 1", text_);
    return {TokenKind::number, word, start, value};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  if (text.size() > limits::notation_bytes_max)
    throw NotationError(NotationFault::limit, limits::notation_bytes_max,
                        fmt::format("a text of {} characters; at most {} are read", text.size(),
                                    limits::notation_bytes_max),
                        text);
  return Lexer(text).run();
}

std::string shown(const Token& token) {
  return token.kind == TokenKind::end ? "the end" : fmt::format("'{}'", token.text);
}

}  // namespace faro::inline v1::notation
