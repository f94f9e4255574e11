#include "cli/worker.hpp"

#include <fmt/format.h>

#include <charconv>

#include "faro/base/error.hpp"

namespace faro::cli {

RechunkShare share_from(const std::string& text) {
  RechunkShare share;
  const std::size_t slash = text.find('/');
  const auto number = [&](std::string_view digits, std::uint64_t& to) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), to);
    return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
  };
  if (slash == std::string::npos ||
      !number(std::string_view(text).substr(0, slash), share.worker) ||
      !number(std::string_view(text).substr(slash + 1), share.workers))
    throw Error(ErrorCode::usage, fmt::format("--worker {}: wanted I/N, as 0/4 to 3/4", text));
  return share;
}

}  // namespace faro::cli
