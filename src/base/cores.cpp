#include "base/cores.hpp"

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include "base/system_text.hpp"

namespace faro::inline v1 {
namespace {

// More than any machine has; a number beyond is a mistake.
constexpr int cores_max = 4096;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

std::optional<int> whole_cores(std::optional<std::int64_t> quota,
                               std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<int>(std::clamp<std::int64_t>(*quota / *period, 1, cores_max));
}

// cpu.max holds "QUOTA PERIOD", QUOTA "max" where there is none.
std::optional<int> unified_quota(const std::string& directory) {
  const auto text = system_text(directory + "/cpu.max");
  if (!text) return std::nullopt;
  const std::size_t space = text->find(' ');
  if (space == std::string::npos) return std::nullopt;
  return whole_cores(number(*text), number(std::string_view(*text).substr(space + 1)));
}

std::optional<int> legacy_quota(const std::string& directory) {
  const auto quota = system_text(directory + "/cpu.cfs_quota_us");
  const auto period = system_text(directory + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return whole_cores(number(*quota), number(*period));
}

bool lists(const std::string& controllers, std::string_view wanted) {
  std::istringstream in(controllers);
  for (std::string one; std::getline(in, one, ',');) {
    if (one == wanted) return true;
  }
  return false;
}

int cores_by_affinity() {
#if defined(__linux__)
  // The kernel refuses a mask smaller than its own.
  for (int cores = 1024; cores <= 64 * cores_max; cores *= 4) {
    const std::size_t bytes = CPU_ALLOC_SIZE(cores);
    std::vector<cpu_set_t> mask((bytes + sizeof(cpu_set_t) - 1) / sizeof(cpu_set_t));
    if (sched_getaffinity(0, bytes, mask.data()) == 0) return CPU_COUNT_S(bytes, mask.data());
  }
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

// 0 before the first look. Not a static of a function: a child forked while another thread
// initialises one would wait for that thread.
std::atomic<int> known_quota{0};

int quota() {
  int cores = known_quota.load(std::memory_order_relaxed);
  if (cores == 0) {
    const auto groups = system_text("/proc/self/cgroup");
    cores = groups ? quota_cores(*groups, "/sys/fs/cgroup").value_or(cores_max) : cores_max;
    known_quota.store(cores, std::memory_order_relaxed);
  }
  return cores;
}

}  // namespace

std::optional<int> quota_cores(const std::string& groups, const std::string& mount) {
  std::optional<int> least;
  const auto see = [&](const std::optional<int>& cores) {
    if (cores) least = std::min(least.value_or(cores_max), *cores);
  };
  std::istringstream in(groups);
  for (std::string line; std::getline(in, line);) {
    // HIERARCHY:CONTROLLERS:PATH. A container may see the path of its host under a mount that
    // begins at its own group; the walk to the root finds that too.
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !lists(controllers, "cpu")) continue;
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (unified) {
        see(unified_quota(mount + path));
      } else {
        see(legacy_quota(mount + "/cpu" + path));
      }
      if (path.empty() || path.rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

int cores_available() {
  return std::clamp(std::min(cores_by_affinity(), quota()), 1, cores_max);
}

int default_threads() {
  const char* text = std::getenv("OMP_NUM_THREADS");
  const auto wanted = text == nullptr ? std::nullopt : number(text);
  if (wanted && *wanted >= 1) {
    return static_cast<int>(std::min<std::int64_t>(*wanted, cores_max));
  }
  return cores_available();
}

}  // namespace faro::inline v1
