// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of x changes half of the bits of
// the result, and no two x have one result. Fingerprints that are kept in files stand on it.
#pragma once

#include <cstdint>

namespace faro::inline v1 {

constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace faro::inline v1
