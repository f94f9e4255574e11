#include "cli/memory.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"
#include "faro/base/error.hpp"

namespace faro::cli {

void need_memory(std::uint64_t bytes, const std::string& what) {
  const std::uint64_t have = memory_bytes();
  if (bytes <= have) return;
  throw Error(ErrorCode::environment,
              fmt::format("{} takes {} ({} bytes) of memory, and this machine has {} ({} bytes); "
                          "files instead of - need none, since they are mapped",
                          what, bytes_text(bytes), bytes, bytes_text(have), have));
}

}  // namespace faro::cli
