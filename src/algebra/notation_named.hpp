// Maps with a name, and what somebody may have meant by a name that there is not.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "faro/algebra/bit_map.hpp"

namespace faro::inline v1::notation {

struct NamedMapEntry {
  std::string_view name;
  std::string_view aliases;  // with blanks between
  std::string_view meaning;  // in the notation, of an index i; h and l are its halves
  bool even = false;         // needs an even number of bits
  BitMap (*make)(int width);
};

std::span<const NamedMapEntry> named_maps();

// By name or alias; nothing if there is none of this name.
const NamedMapEntry* named_map(std::string_view name);

// Why a known permutation is no bit map; empty for any other name.
std::string_view why_impossible(std::string_view name);

// What may have been meant: "did you mean bit-reversal?", or where to look.
std::string other_than(std::string_view name);

// The same for a function of bits; empty where none is near.
std::string other_function_than(std::string_view name);

}  // namespace faro::inline v1::notation
