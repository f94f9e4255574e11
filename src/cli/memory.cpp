#include "cli/memory.hpp"

#include <fmt/format.h>

#include <vector>

#include "cli/output.hpp"
#include "faro/base/error.hpp"
#include "faro/files/array_file.hpp"

namespace faro::cli {

void need_memory(std::uint64_t bytes, const std::string& what) {
  const std::uint64_t have = memory_bytes();
  if (bytes <= have) return;
  throw Error(ErrorCode::environment,
              fmt::format("{} takes {} ({} bytes) of memory, and this machine has {} ({} bytes); "
                          "files instead of - need none, since they are mapped",
                          what, bytes_text(bytes), bytes, bytes_text(have), have));
}

std::string whole_file(const std::string& path,
                       const std::function<void(std::uint64_t, const std::string&)>& check) {
  InputFile file = InputFile::open(path);
  std::string text;
  std::vector<std::byte> piece(std::size_t{1} << 16U);
  while (const std::size_t count = file.read(piece)) {
    text.append(reinterpret_cast<const char*>(piece.data()), count);
    check(text.size(), file.name());
  }
  return text;
}

}  // namespace faro::cli
