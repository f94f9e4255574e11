#include "cli/raw_words.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"

namespace faro::cli {

std::optional<RawArray> raw_array(const std::optional<std::string>& type,
                                  const std::optional<std::string>& shape,
                                  const std::string& path) {
  if (!type && !shape) return std::nullopt;
  if (!type || !shape)
    throw Error(ErrorCode::usage,
                fmt::format("{}: of a raw file --dtype and --shape are wanted, both", path));
  RawArray raw{.shape = {}, .data_type = *type};
  std::string number;
  for (const char c : *shape + ",") {
    if (c >= '0' && c <= '9' && number.size() < 19) {
      number += c;
      continue;
    }
    if ((c != ',' && c != 'x') || number.empty())
      throw Error(ErrorCode::usage, fmt::format("--shape {}: wanted 100x200", *shape));
    raw.shape.push_back(std::stoull(number));
    number.clear();
  }
  return raw;
}

}  // namespace faro::cli
