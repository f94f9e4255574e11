// Maps with a name.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::notation {

struct NamedMapEntry {
  std::string_view name;
  std::string_view alias;  // empty: none
  bool even = false;       // needs an even number of bits
  BitMap (*make)(int width);
};

// Nothing if there is none of this name.
const NamedMapEntry* named_map(std::string_view name);

// Why a known permutation is no bit map; empty for any other name.
std::string_view why_impossible(std::string_view name);

}  // namespace faro::inline v1::notation
