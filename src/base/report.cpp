#include "base/report.hpp"

#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

// How nlohmann writes a text or a number, with what is no UTF-8 replaced.
template <class T>
std::string written(const T& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The end of the quoted text that begins at `at`.
std::size_t end_of_quoted(std::string_view json, std::size_t at) {
  for (++at; json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return at + 1;
}

// JSON on one line, a value a line instead, two blanks deeper within each bracket.
std::string on_many_lines(std::string_view json) {
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] { out += '\n' + std::string(2 * depth, ' '); };
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    if (c == '"') {
      const std::size_t end = end_of_quoted(json, at);
      out += json.substr(at, end - at);
      at = end;
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (closes) {
      --depth;
      new_line();
    }
    out += c;
    if (c == ':') out += ' ';
    if (c == ',') new_line();
    ++at;
    if (c != '{' && c != '[') continue;
    if (json[at] == '}' || json[at] == ']') {
      out += json[at++];
    } else {
      ++depth;
      new_line();
    }
  }
  return out;
}

}  // namespace

Report::Report(Members members) : value_(Object()) {
  for (const auto& [name, value] : members) (*this)[name] = value;
}

Report::Report(Count count) {
  if (count < Count{1} << 53U)
    value_ = static_cast<std::uint64_t>(count);
  else
    value_ = to_string(count);
}

Report Report::of_json(std::string text) {
  Report report;
  report.value_ = Json{std::move(text)};
  return report;
}

bool Report::holds(const std::string& text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

Report& Report::operator[](std::string_view name) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = Object();
  auto* members = std::get_if<Object>(&value_);
  FARO_CHECK(members != nullptr);
  for (std::size_t m = 0; m < members->names.size(); ++m)
    if (members->names[m] == name) return members->values[m];
  members->names.emplace_back(name);
  return members->values.emplace_back();
}

const Report& Report::at(std::string_view name) const {
  if (const auto* members = std::get_if<Object>(&value_))
    for (std::size_t m = 0; m < members->names.size(); ++m)
      if (members->names[m] == name) return members->values[m];
  throw InternalError("a report has no member '" + std::string(name) + "'");
}

void Report::push_back(Report value) {
  if (std::holds_alternative<std::monostate>(value_)) value_ = List();
  auto* values = std::get_if<List>(&value_);
  FARO_CHECK(values != nullptr);
  values->push_back(std::move(value));
}

void Report::write(std::string& out) const {
  if (const auto* json = std::get_if<Json>(&value_)) {
    out += json->text;
  } else if (const auto* values = std::get_if<List>(&value_)) {
    const char* before = "";
    out += '[';
    for (const Report& value : *values) {
      out += std::exchange(before, ",");
      value.write(out);
    }
    out += ']';
  } else if (const auto* members = std::get_if<Object>(&value_)) {
    const char* before = "";
    out += '{';
    for (std::size_t m = 0; m < members->names.size(); ++m) {
      out += std::exchange(before, ",") + written(members->names[m]) + ':';
      members->values[m].write(out);
    }
    out += '}';
  } else if (std::holds_alternative<std::monostate>(value_)) {
    out += "null";
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    out += *truth ? "true" : "false";
  } else if (const auto* number = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*number);
  } else if (const auto* natural = std::get_if<std::uint64_t>(&value_)) {
    out += std::to_string(*natural);
  } else if (const auto* real = std::get_if<double>(&value_)) {
    out += written(*real);
  } else {
    out += written(std::get<std::string>(value_));
  }
}

std::string plan_line(std::string_view name, const std::string& text) {
  return fmt::format("  {:<12} {}\n", name, text);
}

Report report_of_rows(std::string_view format, const Report& row) {
  Report report{{"format", format}};
  report["rows"].push_back(row);
  report.add_words(row.words());
  return report;
}

std::string Report::json(Lines lines) const {
  std::string text;
  write(text);
  return lines == Lines::one ? text : on_many_lines(text);
}

}  // namespace faro::inline v1
