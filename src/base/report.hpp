// What a command found: a tree of named values, and beside it the words that say them.
//
//   Report report;
//   report.row("machine", "cube:4", "  machine  {}\n", "cube:4");  a value and its words
//   report["steps"] = 8;                                           a value without words
//   report.say("  as the paper says\n");                           words without a value
//
//   report.words()    "  machine  cube:4\n  as the paper says\n"
//   report.json()     {"machine":"cube:4","steps":8}
//
// Members stand in the order in which they were named first. A tree is printed in one of two forms
// and never read again: to put one report into another, make it a member. Counts of 2^53 and more
// are decimal strings, as in all our formats; integers of 64 bits stay numbers.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "faro/base/count.hpp"

namespace faro::inline v1 {

class Report {
 public:
  using Members = std::initializer_list<std::pair<const char*, Report>>;
  enum class Lines { one, many };

  Report() = default;  // null
  Report(std::nullptr_t) {}
  Report(Members members);
  Report(const char* text) : value_(std::string(text)) {}
  Report(std::string text) : value_(std::move(text)) {}
  Report(std::string_view text) : value_(std::string(text)) {}
  Report(Count count);
  Report(std::same_as<bool> auto value) : value_(value) {}
  Report(std::floating_point auto value) : value_(static_cast<double>(value)) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Report(T value) {
    if constexpr (std::signed_integral<T>)
      value_ = static_cast<std::int64_t>(value);
    else
      value_ = static_cast<std::uint64_t>(value);
  }
  template <class T>
  Report(const std::vector<T>& values) {
    List list;
    for (const T& value : values) list.emplace_back(value);
    value_ = std::move(list);
  }
  template <class T>
  Report(const std::optional<T>& value) {
    if (value) *this = Report(*value);
  }

  static Report list() { return Report(std::vector<Report>()); }
  static Report object() { return Report(Members{}); }
  // A value that is JSON text already, on one line.
  static Report of_json(std::string text);
  // Whether the text is UTF-8, which JSON can hold as it is.
  static bool holds(const std::string& text);

  // The member of this name, null where it is new. Null becomes an object.
  Report& operator[](std::string_view name);
  // The member of this name, which must be there.
  const Report& at(std::string_view name) const;
  // At the end of a list. Null becomes a list.
  void push_back(Report value);

  template <class... Values>
  void say(fmt::format_string<Values...> format, Values&&... values) {
    words_ += fmt::format(format, std::forward<Values>(values)...);
  }
  void add_words(std::string_view words) { words_ += words; }
  void set_words(std::string words) { words_ = std::move(words); }
  // A member and the words that say it.
  template <class... Values>
  void row(std::string_view name, Report value, fmt::format_string<Values...> format,
           Values&&... values) {
    (*this)[name] = std::move(value);
    say(format, std::forward<Values>(values)...);
  }

  const std::string& words() const { return words_; }
  std::string json(Lines lines = Lines::one) const;

 private:
  struct Json {
    std::string text;
  };
  using List = std::vector<Report>;
  struct Object {  // names and values apart: clang 14 takes no vector of what holds a report here
    std::vector<std::string> names;
    std::vector<Report> values;
  };

  void write(std::string& out) const;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Json, List,
               Object>
      value_;
  std::string words_;
};

// A line of a report of a plan: a name, and what it is.
std::string plan_line(std::string_view name, const std::string& text);
// {"format": format, "rows": [row]}, with the row's words.
Report report_of_rows(std::string_view format, const Report& row);

}  // namespace faro::inline v1
