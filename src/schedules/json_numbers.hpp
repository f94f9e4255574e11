// Numbers, texts and costs in JSON as every format of ours writes them: numbers below 2^53, which
// all readers hold exactly, above them decimal strings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "faro/base/count.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {

// "17", or "\"9007199254740993\"" with its quotation marks.
inline std::string json_number(Count count) {
  return count < Count{1} << 53U ? to_string(count) : '"' + to_string(count) + '"';
}

// In quotation marks, in ASCII.
inline std::string json_quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

inline nlohmann::ordered_json json_count(Count count) {
  if (count < Count{1} << 53U) return static_cast<std::uint64_t>(count);
  return to_string(count);
}

inline nlohmann::ordered_json json_cost(const Cost& cost, const Machine& machine) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const CostPart& part : kind_of(machine).cost)
    object[part.key] = json_count(cost.*part.count);
  return object;
}

}  // namespace faro::inline v1
