#include "base/system_text.hpp"

#include <fstream>

namespace faro::inline v1 {

std::optional<std::string> system_text(const std::string& path, std::size_t bytes_max) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(bytes_max, '\0');
  in.read(text.data(), static_cast<std::streamsize>(bytes_max));
  if (in.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace faro::inline v1
