#include "base/whole_json.hpp"

#include <algorithm>

namespace faro::inline v1 {

nlohmann::ordered_json whole_json(const std::string& text,
                                  std::initializer_list<std::string_view> fractions) {
  using Json = nlohmann::ordered_json;
  std::string name;
  return Json::parse(text, [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::key) name = value.get<std::string>();
    if (value.is_number() && !value.is_number_unsigned() &&
        std::find(fractions.begin(), fractions.end(), name) == fractions.end())
      value = nullptr;
    return true;
  });
}

}  // namespace faro::inline v1
