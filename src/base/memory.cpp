#include "base/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>

#include "base/system_text.hpp"

namespace faro::inline v1 {
namespace {

std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = system_text(path);
  std::uint64_t value = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc())
    return std::nullopt;
  return value;
}

// "MemAvailable:   123 kB"
std::optional<std::uint64_t> machine_free() {
  const auto text = system_text("/proc/meminfo");
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("MemAvailable:"))
      return std::strtoull(line.c_str() + sizeof("MemAvailable:") - 1, nullptr, 10) * 1024;
  return std::nullopt;
}

// What a group's limit leaves; nothing where it has none ("max", or a number beyond any machine).
std::optional<std::uint64_t> group_free(const std::string& folder, bool unified) {
  const auto limit = number_in(folder + (unified ? "/memory.max" : "/memory.limit_in_bytes"));
  const auto used = number_in(folder + (unified ? "/memory.current" : "/memory.usage_in_bytes"));
  if (!limit || !used) return std::nullopt;
  return *limit > *used ? *limit - *used : 0;
}

}  // namespace

std::uint64_t available_memory_bytes() {
  std::uint64_t least = std::min(memory_bytes(), machine_free().value_or(UINT64_MAX));
  std::istringstream groups(system_text("/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") continue;
    const std::string mount = controllers.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    // A container may see its host's path under a mount that begins at its own group.
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      least = std::min(least, group_free(mount + path, controllers.empty()).value_or(least));
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

std::uint64_t page_bytes() {
  const long bytes = ::sysconf(_SC_PAGESIZE);
  return bytes <= 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

std::uint64_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  if (pages <= 0 || page_bytes() == 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * page_bytes();
}

}  // namespace faro::inline v1
