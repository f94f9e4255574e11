// For refusing what cannot fit memory before anything is read, and for reading what does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/memory.hpp"

namespace faro::cli {

// Throws Error(environment) with the figures if `bytes` are more than there are.
void need_memory(std::uint64_t bytes, const std::string& what);

// All of a file, "-" being standard input. `check` is told how many bytes there are so far, and the
// file's name, and throws where they are too many. Throws as InputFile does.
std::string whole_file(const std::string& path,
                       const std::function<void(std::uint64_t, const std::string&)>& check);

}  // namespace faro::cli
