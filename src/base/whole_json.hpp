// JSON that we have written and somebody may have changed: journals, requests, plans. Its numbers
// are whole and not below zero; what is not is read as null, which is refused where a number is
// wanted. nlohmann would convert 4e27 to some whole number, which is undefined.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace faro::inline v1 {

// `fractions` are names of members that may be any number. Throws nlohmann::json::parse_error.
nlohmann::ordered_json whole_json(const std::string& text,
                                  std::initializer_list<std::string_view> fractions = {});

}  // namespace faro::inline v1
