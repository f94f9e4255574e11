#include "schedules/json_item.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "faro/base/limits.hpp"

namespace faro::inline v1::json {
namespace {

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a number that is no 64-bit integer";
    case Kind::text:
      return "a string";
    case Kind::array:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "";
}

[[noreturn]] void wrong_kind(const char* what, const char* wanted, Kind kind) {
  throw Breach{"shape", fmt::format("{}: {} wanted, not {}", what, wanted, name_of(kind))};
}

}  // namespace

void Item::clear() {
  nodes_.clear();
  open_.clear();
  texts_.clear();
  pending_key_ = {};
}

Span Item::store(std::string_view text) {
  if (texts_.size() + text.size() > limits::json_item_bytes_max)
    throw Error(ErrorCode::limit, fmt::format("a value with more than {} bytes of text",
                                              limits::json_item_bytes_max));
  const Span span{static_cast<std::uint32_t>(texts_.size()),
                  static_cast<std::uint32_t>(text.size())};
  texts_ += text;
  return span;
}

void Item::add(Node node) {
  if (nodes_.size() >= limits::json_item_nodes_max)
    throw Error(ErrorCode::limit,
                fmt::format("a value with more than {} parts", limits::json_item_nodes_max));
  node.key = pending_key_;
  pending_key_ = {};
  node.end = static_cast<std::uint32_t>(nodes_.size() + 1);
  nodes_.push_back(node);
}

void Item::boolean(bool value) {
  Node node;
  node.kind = Kind::boolean;
  node.magnitude = value ? 1 : 0;
  add(node);
}

void Item::integer(std::uint64_t magnitude, bool negative) {
  Node node;
  node.kind = Kind::integer;
  node.magnitude = magnitude;
  node.negative = negative;
  add(node);
}

void Item::real() {
  Node node;
  node.kind = Kind::real;
  add(node);
}

void Item::text(std::string_view value) {
  Node node;
  node.kind = Kind::text;
  node.text = store(value);
  add(node);
}

void Item::open(Kind kind) {
  Node node;
  node.kind = kind;
  const auto place = static_cast<std::uint32_t>(nodes_.size());
  add(node);
  open_.push_back(place);
}

void Item::close() {
  FARO_CHECK(!open_.empty());
  nodes_[open_.back()].end = static_cast<std::uint32_t>(nodes_.size());
  open_.pop_back();
}

const Node& Value::node() const {
  return item_->nodes_[node_];
}
Kind Value::kind() const {
  return node().kind;
}
std::string_view Value::key() const {
  return std::string_view(item_->texts_).substr(node().key.at, node().key.size);
}
std::string_view Value::text() const {
  return std::string_view(item_->texts_).substr(node().text.at, node().text.size);
}
bool Value::is_true() const {
  return kind() == Kind::boolean && node().magnitude == 1;
}

Value::Iterator& Value::Iterator::operator++() {
  node_ = item_->nodes_[node_].end;
  return *this;
}
Value::Iterator Value::begin() const {
  return {*item_, kind() == Kind::array || kind() == Kind::object ? node_ + 1 : node().end};
}
Value::Iterator Value::end() const {
  return {*item_, node().end};
}

std::size_t Value::size() const {
  std::size_t count = 0;
  for (auto i = begin(); !(i == end()); ++i) ++count;
  return count;
}

std::optional<Value> Value::member(std::string_view name) const {
  if (kind() != Kind::object) return {};
  for (const Value& child : *this)
    if (child.key() == name) return child;
  return {};
}

std::uint64_t Value::number(const char* what, const char* range) const {
  if (kind() == Kind::text) {
    std::uint64_t value = 0;
    const std::string_view digits = text();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range)
      throw Breach{range, fmt::format("{}: {} does not fit 64 bits", what, digits)};
    if (error != std::errc{} || end != digits.data() + digits.size())
      throw Breach{"shape", fmt::format("{}: a number or a string of digits wanted", what)};
    return value;
  }
  if (kind() != Kind::integer) wrong_kind(what, "a number", kind());
  if (node().negative)
    throw Breach{range, fmt::format("{}: -{} is negative", what, node().magnitude)};
  return node().magnitude;
}

std::int64_t Value::integer(const char* what) const {
  if (kind() != Kind::integer) wrong_kind(what, "an integer", kind());
  if (node().magnitude > low_mask(63))
    throw Breach{"range", fmt::format("{}: does not fit 64 bits", what)};
  const auto magnitude = static_cast<std::int64_t>(node().magnitude);
  return node().negative ? -magnitude : magnitude;
}

Count Value::count(const char* what) const {
  if (kind() == Kind::text) {
    const std::optional<Count> value = count_from(text());
    if (!value) throw Breach{"shape", fmt::format("{}: a string of digits wanted", what)};
    return *value;
  }
  return number(what);
}

Word Value::mask(const char* what) const {
  if (kind() == Kind::text) {
    Word value = 0;
    const std::string_view all = text();
    const char* end = all.data() + all.size();
    if (!all.starts_with("0x") || all.size() == 2)
      throw Breach{"shape",
                   fmt::format("{}: '{}' is no hexadecimal number, 0x3c", what, all.substr(0, 40))};
    const auto [next, error] = std::from_chars(all.data() + 2, end, value, 16);
    if (error == std::errc::result_out_of_range)
      throw Breach{"mask-range",
                   fmt::format("{}: {} does not fit 64 bits", what, all.substr(0, 40))};
    if (error != std::errc{} || next != end)
      throw Breach{"shape",
                   fmt::format("{}: '{}' is no hexadecimal number, 0x3c", what, all.substr(0, 40))};
    return value;
  }
  const std::uint64_t value = number(what, "mask-range");
  if (value >= bit(53))
    throw Breach{"mask-range", fmt::format("{}: numbers from 2^53 on are written in "
                                           "hexadecimal, \"{:#x}\"",
                                           what, value)};
  return value;
}

Value Value::array(const char* what) const {
  if (kind() != Kind::array) wrong_kind(what, "a list", kind());
  return *this;
}

Value Value::array(const char* what, std::size_t wanted) const {
  array(what);
  if (size() != wanted)
    throw Breach{"shape", fmt::format("{}: a list of {} wanted, not of {}", what, wanted, size())};
  return *this;
}

}  // namespace faro::inline v1::json
