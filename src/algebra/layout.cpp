#include "faro/algebra/layout.hpp"

#include <fmt/format.h>

#include <array>

#include "base/require.hpp"
#include "faro/algebra/classify.hpp"

namespace faro::inline v1 {
namespace {

constexpr std::array<std::pair<Encoding, const char*>, 4> encodings = {
    {{Encoding::binary, "binary"},
     {Encoding::gray, "gray"},
     {Encoding::gray_gray, "gray||gray"},
     {Encoding::binary_gray, "binary||gray"}}};

}  // namespace

BitMap place_of(const Layout& layout) {
  const int n = layout.processor_bits;
  const int m = layout.memory_bits;
  require(n >= 0 && n <= word_bits && m >= 0 && m <= word_bits - n,
          "a layout of {} processor and {} memory bits: together at most {}", n, m, word_bits);
  const int p = n + m;
  // Where index bit b lies in the address processor · 2^m + memory.
  std::array<int, word_bits> place{};
  for (int b = 0; b < p; ++b) {
    const int cyclic = b < n ? m + b : b - n;
    place[static_cast<std::size_t>(b)] = layout.allocation == Allocation::cyclic ? cyclic : b;
  }
  const BitMap split = BitMap::from_places(std::span(place.data(), static_cast<std::size_t>(p)));
  switch (layout.encoding) {
    case Encoding::binary:
      return split;
    case Encoding::gray:
      return then(gray_map(p), split);
    case Encoding::gray_gray:
      return then(split, beside(gray_map(n), gray_map(m)));
    case Encoding::binary_gray:
      return then(split, beside(gray_map(n), BitMap::identity(m)));
  }
  return split;
}

std::string to_string(const Layout& layout) {
  std::string text = fmt::format("{}:{}|{}", name_of(layout.allocation), layout.processor_bits,
                                 layout.memory_bits);
  if (layout.encoding != Encoding::binary) text += fmt::format(" {}", name_of(layout.encoding));
  return text;
}

const char* name_of(Allocation allocation) {
  return allocation == Allocation::consecutive ? "consecutive" : "cyclic";
}

const char* name_of(Encoding encoding) {
  for (const auto& [value, name] : encodings)
    if (value == encoding) return name;
  return "binary";
}

std::optional<Encoding> encoding_named(std::string_view name) {
  for (const auto& [value, known] : encodings)
    if (name == known) return value;
  return std::nullopt;
}

}  // namespace faro::inline v1
