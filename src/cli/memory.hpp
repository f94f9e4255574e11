// For refusing what cannot fit memory before anything is read.
#pragma once

#include <cstdint>
#include <string>

#include "base/memory.hpp"

namespace faro::cli {

// Throws Error(environment) with the figures if `bytes` are more than there are.
void need_memory(std::uint64_t bytes, const std::string& what);

}  // namespace faro::cli
