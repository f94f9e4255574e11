// Certificates of bounds in JSON, as schedule files and reports have them: the members of "bound"
// besides value and reason. docs/bounds.md says what each means.
#pragma once

#include <nlohmann/json.hpp>

#include "schedules/json_parts.hpp"

namespace faro::inline v1 {

// {"kind":"distance","from":[5,0]}; an empty object where nothing proves the bound.
nlohmann::ordered_json certificate_json(const Certificate& certificate);
// With value and reason behind it.
nlohmann::ordered_json bound_json(const Bound& bound);

namespace json {

// Of the value of "bound".
Certificate certificate_from(const Value& bound, const Unknown& unknown);

}  // namespace json
}  // namespace faro::inline v1
