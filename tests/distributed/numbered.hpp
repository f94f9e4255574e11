// Arrays whose elements say their own index, and what a map makes of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "faro/algebra/bit_map.hpp"

namespace faro::testing {

// Byte `at` of element `index`: the index for the first eight, then a mixture. Elements of one or
// two bytes say the low part of a mixture.
inline std::byte numbered_byte(Word index, std::uint64_t element_bytes, std::uint64_t at) {
  Word word = index;
  if (element_bytes < 8) word = (index + 0x9e3779b97f4a7c15U) * 0xbf58476d1ce4e5b9U >> 11U;
  if (at >= 8) word = (index ^ 0x5bd1e995U) * 0x94d049bb133111ebU;
  return static_cast<std::byte>(word >> (8 * (at % 8)) & 0xffU);
}

inline std::vector<std::byte> numbered(std::uint64_t elements, std::uint64_t element_bytes) {
  std::vector<std::byte> data(elements * element_bytes);
  for (std::uint64_t i = 0; i < elements; ++i) {
    for (std::uint64_t b = 0; b < element_bytes; ++b) {
      data[i * element_bytes + b] = numbered_byte(i, element_bytes, b);
    }
  }
  return data;
}

// How many elements of `data` are not what the map puts there.
inline std::uint64_t wrong_elements(const BitMap& map, std::uint64_t element_bytes,
                                    const std::vector<std::byte>& data) {
  std::uint64_t wrong = 0;
  for (Word i = 0; i < bit(map.width()); ++i) {
    const std::byte* at = data.data() + map(i) * element_bytes;
    bool same = true;
    for (std::uint64_t b = 0; b < element_bytes; ++b) {
      same = same && at[b] == numbered_byte(i, element_bytes, b);
    }
    wrong += same ? 0 : 1;
  }
  return wrong;
}

}  // namespace faro::testing
