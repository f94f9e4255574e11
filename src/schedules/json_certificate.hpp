// Certificates of bounds in JSON, as schedule files and reports have them: the members of "bound"
// besides value and reason. docs/bounds.md says what each means.
#pragma once

#include <string>

#include "schedules/json_parts.hpp"

namespace faro::inline v1 {

// {"kind":"distance","from":[5,0],"value":2,"reason":"..."}; value and reason alone where nothing
// proves the bound. Made as text: a JSON value would end the process where it finds no memory to
// be destroyed.
std::string bound_text(const Bound& bound);

namespace json {

// Of the value of "bound".
Certificate certificate_from(const Value& bound, const Unknown& unknown);

}  // namespace json
}  // namespace faro::inline v1
