#include "disk/stored/raw_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::disk {
namespace {

// Where values begin and end.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<RawJson::Member> object() {
    std::vector<RawJson::Member> members;
    blanks();
    need('{');
    if (blanks(); take('}')) return members;
    do {
      blanks();
      std::string key = decoded(string());
      if (std::any_of(members.begin(), members.end(),
                      [&](const auto& member) { return member.first == key; }))
        fail(fmt::format("the key '{}' stands twice", key));
      blanks();
      need(':');
      members.emplace_back(std::move(key), std::string(value(0)));
    } while (take(','));
    need('}');
    return members;
  }

  std::vector<std::string> list() {
    std::vector<std::string> values;
    blanks();
    need('[');
    if (blanks(); take(']')) return values;
    do values.emplace_back(value(0));
    while (take(','));
    need(']');
    return values;
  }

  void end() {
    blanks();
    if (at_ != text_.size()) fail("something follows the end");
  }

 private:
  // With the blanks around it, which are no part of the text that is returned.
  std::string_view value(int depth) {
    if (depth > limits::zarr_json_depth_max)
      throw Error(ErrorCode::limit,
                  fmt::format("JSON of more than {} levels", limits::zarr_json_depth_max));
    blanks();
    const std::size_t begin = at_;
    switch (peek()) {
      case '{':
        nested('}', depth, true);
        break;
      case '[':
        nested(']', depth, false);
        break;
      case '"':
        string();
        break;
      default:
        scalar();
    }
    const std::string_view found = text_.substr(begin, at_ - begin);
    blanks();
    return found;
  }

  void nested(char close, int depth, bool keyed) {
    ++at_;
    if (blanks(); take(close)) return;
    do {
      if (blanks(); keyed) {
        string();
        blanks();
        need(':');
      }
      value(depth + 1);
    } while (take(','));
    need(close);
  }

  // Moves behind a string and returns it, with its quotes.
  std::string_view string() {
    const std::size_t begin = at_;
    need('"');
    while (peek() != '"') {
      if (at_ >= text_.size()) fail("a string has no end");
      if (static_cast<unsigned char>(text_[at_]) < 0x20) fail("a control character in a string");
      if (text_[at_++] == '\\') escape();
    }
    ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void escape() {
    const char c = peek();
    if (c == '\0' || std::string_view("\"\\/bfnrtu").find(c) == std::string_view::npos)
      fail("an escape that JSON does not have");
    ++at_;
    for (int i = 0; c == 'u' && i < 4; ++i, ++at_)
      if (std::string_view("0123456789abcdefABCDEF").find(peek()) == std::string_view::npos ||
          at_ >= text_.size())
        fail("four hexadecimal digits are wanted");
  }

  void scalar() {
    for (const std::string_view word : {"true", "false", "null", "NaN", "Infinity", "-Infinity"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return;
      }
    take('-');
    if (!take('0')) digits();
    if (take('.')) digits();
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      digits();
    }
  }
  void digits() {
    if (peek() < '0' || peek() > '9') fail("a value is wanted");
    while (peek() >= '0' && peek() <= '9') ++at_;
  }

  std::string decoded(std::string_view key) const {
    try {
      return nlohmann::json::parse(key).get<std::string>();
    } catch (const nlohmann::json::exception&) {
      fail("a key is no text");
    }
  }

  void blanks() {
    while (at_ < text_.size() &&
           std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void need(char c) {
    if (!take(c)) fail(fmt::format("'{}' is wanted", c));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::usage, fmt::format("no JSON as it should be: byte {}: {}", at_, what));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

RawJson RawJson::parse(std::string_view text) {
  RawJson json;
  Scanner scanner(text);
  json.members_ = scanner.object();
  scanner.end();
  return json;
}

const std::string* RawJson::find(std::string_view key) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& member) { return member.first == key; });
  return found == members_.end() ? nullptr : &found->second;
}

void RawJson::set(std::string_view key, std::string value) {
  for (Member& member : members_)
    if (member.first == key) {
      member.second = std::move(value);
      return;
    }
  members_.emplace_back(key, std::move(value));
}

void RawJson::erase(std::string_view key) {
  std::erase_if(members_, [&](const Member& member) { return member.first == key; });
}

std::string RawJson::text() const {
  if (members_.empty()) return "{}";
  std::string lines;
  for (const Member& member : members_)
    lines += fmt::format("{}  {}: {}", lines.empty() ? "" : ",\n", json_text(member.first),
                         member.second);
  return "{\n" + lines + "\n}";
}

std::string json_text(std::string_view words) {
  return nlohmann::json(words).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}
std::string json_text(const std::vector<std::uint64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}
std::string json_list(const std::vector<std::string>& values) {
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::vector<std::string> json_values(std::string_view list) {
  Scanner scanner(list);
  std::vector<std::string> values = scanner.list();
  scanner.end();
  return values;
}

}  // namespace faro::inline v1::disk
