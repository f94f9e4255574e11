#include "files/words.hpp"

#include <fmt/format.h>

#include <array>

namespace faro::inline v1::files {

std::string size_text(Count bytes) {
  static constexpr std::array units = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"};
  if (bytes == 1) return "1 byte";
  std::size_t unit = 0;
  Count scale = 1;
  while (unit + 1 < units.size() && bytes / scale >= 1024) {
    scale *= 1024;
    ++unit;
  }
  if (bytes % scale == 0) return to_string(bytes / scale) + " " + units[unit];
  return fmt::format("{:.3g} {}", static_cast<double>(bytes) / static_cast<double>(scale),
                     units[unit]);
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.2g} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 172800) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.0f} days", seconds / 86400);
}

}  // namespace faro::inline v1::files
