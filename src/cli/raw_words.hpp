// What the command line says of a raw file.
#pragma once

#include <optional>
#include <string>

#include "faro/disk/rechunk.hpp"

namespace faro::cli {

// Nothing where neither is given; Error(usage) where one is missing.
std::optional<RawArray> raw_array(const std::optional<std::string>& type,
                                  const std::optional<std::string>& shape, const std::string& path);

}  // namespace faro::cli
