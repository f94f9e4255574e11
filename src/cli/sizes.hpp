// Amounts of memory on the command line.
#pragma once

#include <cstdint>
#include <string>

namespace faro::cli {

// "2GiB", "256 MiB", "1.5GB", "2^31", "4096". Throws Error(usage), naming the option.
std::uint64_t parse_bytes(const std::string& text, const std::string& option);

}  // namespace faro::cli
