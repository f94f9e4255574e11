#include "files/npy_literal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::npy {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Digits without sign and leading zeros; nothing if they do not fit 64 bits.
bool decimal(std::string_view digits, std::uint64_t& value) {
  value = 0;
  for (const char c : digits)
    if (__builtin_mul_overflow(value, 10U, &value) ||
        __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value))
      return false;
  return true;
}

}  // namespace

void HeaderParser::fail(std::size_t at, const std::string& message) const {
  throw Error(ErrorCode::usage, fmt::format("{}: .npy header, byte {}: {}", name_, at, message));
}

void HeaderParser::beyond(std::size_t at, const std::string& message) const {
  throw Error(ErrorCode::limit, fmt::format("{}: .npy header, byte {}: {}", name_, at, message));
}

std::string HeaderParser::found() const {
  if (at_ >= text_.size()) return "the header ends here";
  const char c = text_[at_];
  if (c == '\'') return "found a quote";
  if (c >= ' ' && c <= '~') return fmt::format("found '{}'", c);
  return fmt::format("found byte 0x{:02x}", static_cast<unsigned char>(c));
}

void HeaderParser::blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

bool HeaderParser::next_is(char c) {
  blanks();
  return at_ < text_.size() && text_[at_] == c;
}

bool HeaderParser::take(char c) {
  if (!next_is(c)) return false;
  ++at_;
  return true;
}

void HeaderParser::need(char c, std::string_view what) {
  if (!take(c)) fail(at_, fmt::format("wanted '{}' {}; {}", c, what, found()));
}

void HeaderParser::expect_end() {
  blanks();
  if (at_ != text_.size()) fail(at_, fmt::format("wanted nothing more; {}", found()));
}

void HeaderParser::header(NpyHeader& header) {
  need('{', "that begins the dictionary");
  constexpr std::array<std::string_view, 3> keys = {"descr", "fortran_order", "shape"};
  std::array<bool, 3> seen{};
  std::size_t shape_at = at_;
  while (!next_is('}')) {
    const std::size_t key_at = at_;
    const std::string_view key = string("a key");
    const auto known =
        static_cast<std::size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
    if (known == keys.size())
      fail(key_at, fmt::format("key '{}' is unknown; descr, fortran_order and shape stand here",
                               key.substr(0, 40)));
    if (seen[known]) fail(key_at, fmt::format("key '{}' stands here twice", key));
    seen[known] = true;
    need(':', "after the key");
    blanks();
    const std::size_t value_at = at_;
    if (known == 0) {
      header.element_bytes = type();
      header.type = std::string(text_.substr(value_at, at_ - value_at));
    } else if (known == 1) {
      header.order = truth() ? NpyHeader::Order::fortran : NpyHeader::Order::c;
    } else {
      if (peek() != '(') fail(at_, fmt::format("shape: wanted a tuple; {}", found()));
      shape_at = at_;
      header.shape = sides();
    }
    if (!take(',')) break;
  }
  need('}', "that ends the dictionary, or ',' and a further key");
  const std::size_t end = at_;
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (!seen[i]) fail(end - 1, fmt::format("key '{}' is missing", keys[i]));
  expect_end();
  if (text_.back() != '\n') fail(text_.size() - 1, "wanted a line end that closes the header");
  std::uint64_t bytes = header.element_bytes;
  // A side of 0 makes the array empty, but the others must still be an address range.
  for (const std::uint64_t side : header.shape)
    if (__builtin_mul_overflow(bytes == 0 ? 1 : bytes, side == 0 ? 1 : side, &bytes) ||
        bytes > limits::npy_bytes_max)
      beyond(shape_at, "the array has more than 2^62 bytes");
}

std::uint64_t HeaderParser::type(int depth) {
  blanks();
  if (depth == 0) fields_.clear();
  if (depth > limits::npy_depth_max)
    beyond(at_, fmt::format("types nest deeper than {}", limits::npy_depth_max));
  if (peek() == '\'' || peek() == '"') {
    const std::size_t at = at_ + 1;
    const std::uint64_t bytes = simple_type(string("a type"), at);
    return bytes;
  }
  if (peek() != '[')
    fail(at_, fmt::format("type: wanted a string or a list of fields; {}", found()));
  ++at_;
  std::uint64_t bytes = 0;
  std::set<std::string_view> names;
  while (!next_is(']')) {
    const std::size_t field_at = at_;
    if (__builtin_add_overflow(bytes, field(depth, bytes, names), &bytes) ||
        bytes > limits::npy_bytes_max)
      beyond(field_at, "an element has more than 2^62 bytes");
    if (!take(',')) break;
  }
  need(']', "that ends the list of fields, or ',' and a further one");
  return bytes;
}

// ('name', type) or ('name', type, shape); the name may be ('title', 'name').
std::uint64_t HeaderParser::field(int depth, std::uint64_t offset,
                                  std::set<std::string_view>& names) {
  need('(', "that begins a field");
  const std::size_t name_at = at_;
  const std::string_view name = field_name();
  // Padding has no name; two of one name NumPy does not read either.
  if (!name.empty() && !names.insert(name).second)
    fail(name_at, fmt::format("a second field '{}'", name));
  need(',', "after the field's name");
  blanks();
  const std::size_t type_at = at_;
  std::uint64_t bytes = type(depth + 1);
  if (depth == 0) {
    fields_.push_back(
        {std::string(name), std::string(text_.substr(type_at, at_ - type_at)), offset});
  }
  if (take(',') && !next_is(')')) {
    if (depth == 0) fields_.back().type.clear();
    const std::size_t at = at_;
    for (const std::uint64_t side : sides())
      if (__builtin_mul_overflow(bytes, side, &bytes) || bytes > limits::npy_bytes_max)
        beyond(at, "a field has more than 2^62 bytes");
    take(',');
  }
  need(')', "that ends the field");
  return bytes;
}

std::string_view HeaderParser::field_name() {
  if (!take('(')) return string("a field's name");
  string("a field's title");
  need(',', "after the title");
  const std::string_view name = string("a field's name");
  take(',');
  need(')', "after title and name");
  return name;
}

// One number, or a tuple of them.
std::vector<std::uint64_t> HeaderParser::sides() {
  if (!take('(')) return {number()};
  std::vector<std::uint64_t> result;
  bool comma = true;
  while (!next_is(')')) {
    if (result.size() == limits::npy_axes_max)
      beyond(at_, fmt::format("more than {} axes", limits::npy_axes_max));
    result.push_back(number());
    comma = take(',');
    if (!comma) break;
  }
  const std::size_t end = at_;
  need(')', "that ends the tuple, or ',' and a further side");
  if (result.size() == 1 && !comma) fail(end, "a tuple of one side is written (8,), with a comma");
  return result;
}

std::uint64_t HeaderParser::number() {
  blanks();
  const std::size_t begin = at_;
  if (peek() == '-') fail(at_, "a side cannot be negative");
  while (is_digit(peek())) ++at_;
  const std::string_view digits = text_.substr(begin, at_ - begin);
  if (digits.empty()) fail(begin, fmt::format("wanted a whole number; {}", found()));
  if (digits.size() > 1 && digits.front() == '0') fail(begin, "a number begins with 0");
  std::uint64_t value = 0;
  if (!decimal(digits, value) || value > limits::npy_bytes_max)
    beyond(begin, "a side is larger than 2^62");
  // Python 2 wrote its long integers with an L.
  if (peek() == 'L' && encoding_ == Encoding::latin1) ++at_;
  return value;
}

bool HeaderParser::truth() {
  for (const bool value : {true, false}) {
    const std::string_view word = value ? "True" : "False";
    if (text_.substr(at_, word.size()) == word) {
      at_ += word.size();
      return value;
    }
  }
  fail(at_, fmt::format("fortran_order: wanted True or False; {}", found()));
}

std::string_view HeaderParser::string(std::string_view what) {
  blanks();
  const char quote = peek();
  if (quote != '\'' && quote != '"')
    fail(at_, fmt::format("wanted {} in quotes; {}", what, found()));
  const std::size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != quote) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 || c == 0x7f) fail(at_, fmt::format("control character 0x{:02x} in a string", c));
    if (c == '\\')
      escape();
    else if (c >= 0x80 && encoding_ == Encoding::utf8)
      utf8_character();
    else
      ++at_;
  }
  if (at_ == text_.size()) fail(begin - 1, "a string that begins here has no end");
  return text_.substr(begin, at_++ - begin);
}

// The escapes that Python's repr writes.
void HeaderParser::escape() {
  const std::size_t begin = at_++;
  const char c = peek();
  const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
  constexpr std::string_view simple = "\\'\"nrt";
  if (digits == 0 && simple.find(c) == std::string_view::npos)
    fail(begin, "an escape that Python's repr does not write");
  ++at_;
  for (std::size_t i = 0; i < digits; ++i, ++at_)
    if (!is_hex(peek()))
      fail(begin, fmt::format("an escape of {} hexadecimal digits is cut short", digits));
}

void HeaderParser::utf8_character() {
  const auto byte = [this](std::size_t i) {
    return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0U;
  };
  const unsigned first = byte(0);
  const std::size_t length = first >= 0xc2 && first < 0xe0   ? 2
                             : first >= 0xe0 && first < 0xf0 ? 3
                             : first >= 0xf0 && first < 0xf5 ? 4
                                                             : 0;
  bool good = length != 0;
  for (std::size_t i = 1; i < length; ++i) good = good && (byte(i) & 0xc0U) == 0x80U;
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  if (first == 0xe0) good = good && byte(1) >= 0xa0;
  if (first == 0xed) good = good && byte(1) < 0xa0;
  if (first == 0xf0) good = good && byte(1) >= 0x90;
  if (first == 0xf4) good = good && byte(1) < 0x90;
  if (!good) fail(at_, "this is no UTF-8, which version 3 of .npy wants");
  at_ += length;
}

std::uint64_t HeaderParser::simple_type(std::string_view code, std::size_t at) {
  std::string_view rest = code;
  char order = '\0';
  if (!rest.empty() && std::string_view("<>=|").find(rest.front()) != std::string_view::npos) {
    order = rest.front();
    rest.remove_prefix(1);
  }
  if (rest.empty()) fail(at, fmt::format("type '{}' names no kind", code.substr(0, 40)));
  const char kind = rest.front();
  rest.remove_prefix(1);
  if (kind == 'O')
    fail(at,
         "elements are Python objects ('O'), which a file holds pickled and in no fixed size; "
         "convert the array to a type of fixed size");
  if (std::string_view("biufcmMSUV").find(kind) == std::string_view::npos)
    fail(at, fmt::format("type '{}' is unknown; wanted one of NumPy's fixed-size kinds "
                         "b i u f c m M S U V with its bytes, as '<f8'",
                         code.substr(0, 40)));
  std::size_t length = 0;
  while (length < rest.size() && is_digit(rest[length])) ++length;
  const std::string_view digits = rest.substr(0, length);
  rest.remove_prefix(length);
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0'))
    fail(at, fmt::format("type '{}' wants its size as a decimal number", code.substr(0, 40)));
  if (kind == 'm' || kind == 'M') {
    time_unit(rest, at);
  } else if (!rest.empty()) {
    fail(at, fmt::format("type '{}' goes on after its size", code.substr(0, 40)));
  }
  return numeric_type(kind, order, digits, at);
}

std::uint64_t HeaderParser::numeric_type(char kind, char order, std::string_view digits,
                                         std::size_t at) {
  std::uint64_t size = 0;
  // NumPy itself keeps an element's bytes in a signed 32-bit number.
  if (!decimal(digits, size) || size > 0x7fffffffU)
    beyond(at, "an element has more than 2^31 - 1 bytes");
  const auto allow = [&](std::initializer_list<std::uint64_t> sizes) {
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end())
      fail(at, fmt::format("kind '{}' comes in {} bytes, not in {}", kind, fmt::join(sizes, ", "),
                           size));
    if (order == '|' && size > 1)
      fail(at, fmt::format("a type of kind '{}' and {} bytes needs its byte order, '<' or '>'",
                           kind, size));
  };
  switch (kind) {
    case 'b':
      allow({1});
      break;
    case 'i':
    case 'u':
      allow({1, 2, 4, 8});
      break;
    case 'f':
      allow({2, 4, 8, 12, 16});
      break;
    case 'c':
      allow({8, 16, 24, 32});
      break;
    case 'm':
    case 'M':
      allow({8});
      break;
    case 'U':
      return size * 4;  // UCS-4
    default:
      break;
  }
  return size;
}

// "[ns]", "[25s]", "[25s/7]" or nothing.
void HeaderParser::time_unit(std::string_view unit, std::size_t at) {
  if (unit.empty()) return;
  constexpr std::array<std::string_view, 14> units = {
      "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"};
  std::string_view inner = unit.size() > 2 && unit.front() == '[' && unit.back() == ']'
                               ? unit.substr(1, unit.size() - 2)
                               : std::string_view{};
  while (!inner.empty() && is_digit(inner.front())) inner.remove_prefix(1);
  const std::size_t slash = inner.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view divisor = inner.substr(slash + 1);
    if (!divisor.empty() && std::all_of(divisor.begin(), divisor.end(), is_digit))
      inner = inner.substr(0, slash);
  }
  if (std::find(units.begin(), units.end(), inner) == units.end())
    fail(at, fmt::format("'{}' is no time unit such as [ns] or [25s]", unit.substr(0, 40)));
}

}  // namespace faro::inline v1::npy
