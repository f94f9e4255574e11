#include "cli/arguments.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/check.hpp"
#include "base/sizes.hpp"
#include "faro/base/error.hpp"

namespace faro::cli {
namespace {

template <class Number>
Number number_from(const std::string& name, const std::string& text, const char* wanted) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end)
    throw Error(ErrorCode::usage, fmt::format("{}: '{}' is not {}", name, text, wanted));
  return value;
}

// "4096", "2^12".
std::uint64_t count_from(const std::string& name, const std::string& text) {
  constexpr const char* wanted = "a whole number from 0 to 2^64 - 1, 4096 or 2^12";
  if (!text.starts_with("2^")) return number_from<std::uint64_t>(name, text, wanted);
  const auto exponent = number_from<std::uint64_t>(name, text.substr(2), "an exponent of 2");
  if (exponent > 63)
    throw Error(ErrorCode::usage, fmt::format("{}: '{}' is not {}", name, text, wanted));
  return std::uint64_t{1} << exponent;
}

}  // namespace

Argument& Argument::completes(Completes what) {
  value = what;
  return *this;
}

Argument& Argument::one_of(std::vector<std::string> values) {
  choices = std::move(values);
  return *this;
}

Argument& Argument::required() {
  needed = true;
  return *this;
}

Argument& Arguments::add(Argument argument) {
  FARO_CHECK(!argument.name.empty());
  list_.push_back(std::move(argument));
  return list_.back();
}

Argument& Arguments::positional(const std::string& name, std::string& value,
                                const std::string& help) {
  return add({.name = name,
              .placeholder = name,
              .help = help,
              .needed = true,
              .accept = [&value](const std::string& text) { value = text; }});
}

Argument& Arguments::positional(const std::string& name, std::optional<std::string>& value,
                                const std::string& help) {
  return add({.name = name,
              .placeholder = name,
              .help = help,
              .accept = [&value](const std::string& text) { value = text; }});
}

Argument& Arguments::positional(const std::string& name, std::vector<std::string>& values,
                                const std::string& help) {
  return add({.name = name,
              .placeholder = name,
              .help = help,
              .needed = true,
              .repeats = true,
              .accept = [&values](const std::string& text) { values.push_back(text); }});
}

Argument& Arguments::option(const std::string& name, const std::string& placeholder,
                            std::string& value, const std::string& help) {
  return add({.name = name,
              .placeholder = placeholder,
              .help = help,
              .accept = [&value](const std::string& text) { value = text; }});
}

Argument& Arguments::option(const std::string& name, const std::string& placeholder,
                            std::optional<std::string>& value, const std::string& help) {
  return add({.name = name,
              .placeholder = placeholder,
              .help = help,
              .accept = [&value](const std::string& text) { value = text; }});
}

Argument& Arguments::option(const std::string& name, const std::string& placeholder,
                            std::optional<std::uint64_t>& value, const std::string& help) {
  return add(
      {.name = name,
       .placeholder = placeholder,
       .help = help,
       .accept = [&value, name](const std::string& text) { value = count_from(name, text); }});
}

Argument& Arguments::option(const std::string& name, const std::string& placeholder,
                            std::optional<std::int64_t>& value, const std::string& help) {
  return add({.name = name,
              .placeholder = placeholder,
              .help = help,
              .accept = [&value, name](const std::string& text) {
                value = number_from<std::int64_t>(name, text, "a whole number of 64 bits");
              }});
}

Argument& Arguments::option(const std::string& name, const std::string& placeholder,
                            std::optional<double>& value, const std::string& help) {
  return add({.name = name,
              .placeholder = placeholder,
              .help = help,
              .accept = [&value, name](const std::string& text) {
                double number = 0;
                if (text.empty() || leading_number(text, number) != text.size())
                  throw Error(ErrorCode::usage,
                              fmt::format("{}: '{}' is not a number", name, text));
                value = number;
              }});
}

Argument& Arguments::option(const std::string& name, const std::string& placeholder,
                            std::vector<std::string>& values, const std::string& help) {
  return add({.name = name,
              .placeholder = placeholder,
              .help = help,
              .repeats = true,
              .accept = [&values](const std::string& text) { values.push_back(text); }});
}

Argument& Arguments::flag(const std::string& name, bool& value, const std::string& help) {
  return add(
      {.name = name, .placeholder = "", .help = help, .accept = [&value](const std::string&) {
         value = true;
       }});
}

}  // namespace faro::cli
