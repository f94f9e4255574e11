#include "base/sizes.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string_view>

#include "faro/base/bits.hpp"
#include "faro/base/error.hpp"

namespace faro::inline v1 {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 14> units = {{{"", 1},
                                         {"B", 1},
                                         {"kB", 1e3},
                                         {"KB", 1e3},
                                         {"MB", 1e6},
                                         {"GB", 1e9},
                                         {"TB", 1e12},
                                         {"KiB", 1024.0},
                                         {"K", 1024.0},
                                         {"MiB", 1048576.0},
                                         {"M", 1048576.0},
                                         {"GiB", 1073741824.0},
                                         {"G", 1073741824.0},
                                         {"TiB", 1099511627776.0}}};

}  // namespace

std::size_t leading_number(const std::string& text, double& value) {
  // std::from_chars reads no doubles in libc++ before 20. A stream does, in a locale of its own: a
  // program around the library may have one with another decimal point.
  const std::string digits = text.substr(0, text.find_first_not_of("-.0123456789eE+"));
  if (digits.empty() || digits[0] == '+') return 0;
  std::istringstream in(digits);
  in.imbue(std::locale::classic());
  in >> value;
  if (in.fail()) {
    if (std::abs(value) != std::numeric_limits<double>::max()) return 0;
    value = std::copysign(std::numeric_limits<double>::infinity(), value);  // as strtod says it
  }
  return in.eof() ? digits.size() : static_cast<std::size_t>(in.tellg());
}

std::uint64_t parse_bytes(const std::string& text, const std::string& option) {
  const auto refuse = [&]() {
    throw Error(ErrorCode::usage,
                fmt::format("{}: wanted an amount like 2GiB, 1.5GB, 2^31 or 4096, found '{}'",
                            option, text));
  };
  const char* const end = text.data() + text.size();
  if (text.starts_with("2^")) {
    int exponent = 0;
    const auto [rest, error] = std::from_chars(text.data() + 2, end, exponent);
    if (error != std::errc() || rest != end || exponent < 0 || exponent > 62) refuse();
    return bit(exponent);
  }
  double value = 0;
  const std::size_t digits = leading_number(text, value);
  if (digits == 0 || !std::isfinite(value) || value < 0) refuse();
  std::string_view name = std::string_view(text).substr(digits);
  while (name.starts_with(' ')) name.remove_prefix(1);
  for (const Unit& unit : units)
    if (unit.name == name) {
      const double bytes = value * unit.bytes;
      if (bytes > 4e18) refuse();
      return static_cast<std::uint64_t>(bytes);
    }
  refuse();
  return 0;
}

}  // namespace faro::inline v1
