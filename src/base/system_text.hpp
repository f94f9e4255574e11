// Small texts that the system keeps about itself (/proc, /sys), and the engine's own settings.
//
//   system_text("/proc/self/cgroup")  ->  "0::/user.slice\n"
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace faro::inline v1 {

// The first bytes_max bytes of a file; nothing if it cannot be opened or read.
std::optional<std::string> system_text(const std::string& path,
                                       std::size_t bytes_max = std::size_t{1} << 16U);

}  // namespace faro::inline v1
