#include "layouts/scanner.hpp"

#include <fmt/format.h>

#include "faro/base/bits.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::layouts {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool in_name(char c) {
  return starts_name(c) || is_digit(c);
}
int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

Scanner::Scanner(std::string_view text, std::size_t begin, std::string system,
                 std::size_t bytes_max)
    : text_(text), at_(begin), system_(std::move(system)) {
  if (text.size() - begin > bytes_max)
    fail_at(0, fmt::format("a text of more than {} characters", bytes_max), NotationFault::limit);
  skip_blanks();
}

void Scanner::take_comments(std::string_view begin) {
  comment_ = begin;
  skip_blanks();
}

void Scanner::skip_blanks() {
  for (;;) {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
    const std::string_view left = text_.substr(at_);
    std::size_t end = 0;
    if (comment_.empty()) return;
    if (left.starts_with(comment_)) {
      end = left.find('\n');
    } else if (comment_ == "//" && left.starts_with("/*")) {
      end = left.find("*/", 2);
      if (end == std::string_view::npos) fail("a comment without its end, */");
      end += 2;
    } else {
      return;
    }
    at_ = end == std::string_view::npos ? text_.size() : at_ + end;
  }
}

bool Scanner::done() {
  skip_blanks();
  return at_ >= text_.size();
}

std::string_view Scanner::rest() {
  skip_blanks();
  std::string_view left = text_.substr(at_);
  while (!left.empty() && (left.back() == ' ' || left.back() == '\n')) left.remove_suffix(1);
  return left;
}

std::string Scanner::words_from(std::size_t begin) const {
  std::string words(text_.substr(begin, at_ - begin));
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

bool Scanner::next_is(std::string_view word) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(word)) return false;
  const std::size_t end = at_ + word.size();
  return !in_name(word.back()) || end >= text_.size() || !in_name(text_[end]);
}

bool Scanner::accept(std::string_view word) {
  if (!next_is(word)) return false;
  at_ += word.size();
  skip_blanks();
  return true;
}

void Scanner::expect(std::string_view word) {
  if (!accept(word)) fail(fmt::format("wanted '{}'", word));
}

void Scanner::expect_end() {
  if (!done()) fail("the text should end here");
}

bool Scanner::name_is_next() {
  return !done() && starts_name(text_[at_]);
}

bool Scanner::number_is_next() {
  return !done() && is_digit(text_[at_]);
}

std::string Scanner::name() {
  if (!name_is_next()) fail("wanted a name");
  const std::size_t begin = at_;
  while (at_ < text_.size() && in_name(text_[at_])) ++at_;
  std::string result(text_.substr(begin, at_ - begin));
  skip_blanks();
  return result;
}

std::string Scanner::quoted() {
  if (done() || (text_[at_] != '\'' && text_[at_] != '"')) fail("wanted a name in quotes");
  const char quote = text_[at_];
  const std::size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) fail("a quote without its end");
  std::string result(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  skip_blanks();
  return result;
}

std::string Scanner::name_or_quoted() {
  return name_is_next() ? name() : quoted();
}

std::uint64_t Scanner::number() {
  if (!number_is_next()) fail("wanted a number");
  const std::size_t begin = at_;
  unsigned base = 10;
  if (text_.substr(at_).starts_with("0x")) {
    base = 16;
    at_ += 2;
  }
  std::uint64_t value = 0;
  for (; at_ < text_.size(); ++at_) {
    const auto digit = static_cast<unsigned>(digit_value(text_[at_]));
    if (digit >= base) break;
    if (value > (bit(limits::array_log2_max) - digit) / base)
      fail_at(begin, "a number above 2^62", NotationFault::limit);
    value = value * base + digit;
  }
  skip_blanks();
  return value;
}

std::int64_t Scanner::integer() {
  const bool negative = accept("-");
  const auto value = static_cast<std::int64_t>(number());
  return negative ? -value : value;
}

std::vector<std::int64_t> Scanner::integers(std::string_view open, std::string_view close) {
  std::vector<std::int64_t> values;
  expect(open);
  while (!accept(close)) {
    if (!values.empty()) {
      expect(",");
      if (accept(close)) break;
    }
    values.push_back(integer());
  }
  return values;
}

std::vector<std::uint64_t> Scanner::numbers(std::string_view open, std::string_view close) {
  const std::size_t begin = at_;
  std::vector<std::uint64_t> values;
  for (const std::int64_t value : integers(open, close)) {
    if (value < 0) fail_at(begin, "a negative number in this list");
    values.push_back(static_cast<std::uint64_t>(value));
  }
  return values;
}

void Scanner::fail_at(std::size_t at, const std::string& reason, NotationFault fault) const {
  throw NotationError(fault, at, fmt::format("{}: {}", system_, reason), text_);
}

void Scanner::refuse(LayoutFault fault, const std::string& reason) const {
  throw NotExpressible(system_, fault, reason);
}

}  // namespace faro::inline v1::layouts
