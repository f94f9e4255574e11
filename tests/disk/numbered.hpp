// A mebibyte, bytes that differ, and what a map makes of them.
#pragma once

#include <cstring>
#include <string>

#include "faro/algebra/bit_map.hpp"

namespace faro::testing {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20U;

inline std::string numbered(std::uint64_t bytes) {
  std::string text(bytes, '\0');
  for (std::uint64_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 0x9e3779b9U >> 11U);
  return text;
}

inline std::string permuted(const BitMap& map, const std::string& from, std::uint64_t element) {
  std::string to(from.size(), '\0');
  for (Word i = 0; i < bit(map.width()); ++i)
    std::memcpy(to.data() + (map(i) * element), from.data() + (i * element), element);
  return to;
}

}  // namespace faro::testing
