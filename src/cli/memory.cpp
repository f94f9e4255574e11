#include "cli/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output.hpp"
#include "faro/base/error.hpp"

namespace faro::cli {

std::uint64_t memory_bytes() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return UINT64_MAX;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

void need_memory(std::uint64_t bytes, const std::string& what) {
  const std::uint64_t have = memory_bytes();
  if (bytes <= have) return;
  throw Error(ErrorCode::environment,
              fmt::format("{} takes {} ({} bytes) of memory, and this machine has {} ({} bytes); "
                          "files instead of - need none, since they are mapped",
                          what, bytes_text(bytes), bytes, bytes_text(have), have));
}

}  // namespace faro::cli
