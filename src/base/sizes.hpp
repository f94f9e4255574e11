// Numbers and amounts of memory as words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace faro::inline v1 {

// The decimal number that a text begins with, and how many characters it takes; 0 where it begins
// with none.
std::size_t leading_number(const std::string& text, double& value);

// "2GiB", "256 MiB", "1.5GB", "2^31", "4096". Throws Error(usage), naming the option.
std::uint64_t parse_bytes(const std::string& text, const std::string& option);

}  // namespace faro::inline v1
