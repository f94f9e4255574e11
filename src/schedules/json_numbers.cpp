#include "schedules/json_numbers.hpp"

#include <nlohmann/json.hpp>

namespace faro::inline v1 {

std::string json_quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace faro::inline v1
