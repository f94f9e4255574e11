// Numbers in JSON as our formats write them: below 2^53 numbers, above decimal strings.
#pragma once

#include <nlohmann/json.hpp>

#include "faro/base/count.hpp"

namespace faro::cli {

inline nlohmann::ordered_json json_count(Count count) {
  if (count < (Count{1} << 53U)) return static_cast<std::uint64_t>(count);
  return to_string(count);
}

}  // namespace faro::cli
