// Words of bits: an index, an address, a mask, one row or column of a matrix over GF(2).
//
//   bit(3) = 0b1000     low_mask(3) = 0b111     parity(0b1011) = 1
//
// Bit 0 is the least significant. Powers of two come from bit(i), never from a raw shift of 1.
#pragma once

#include <bit>
#include <cstdint>

namespace faro::inline v1 {

using Word = std::uint64_t;

inline constexpr int word_bits = 64;

// 2^i. Requires 0 <= i < 64.
constexpr Word bit(int i) {
  return Word{1} << i;
}

// The lowest `width` bits set. Requires 0 <= width <= 64.
constexpr Word low_mask(int width) {
  return width == word_bits ? ~Word{0} : (Word{1} << width) - 1;
}

constexpr bool has_bit(Word x, int i) {
  return ((x >> i) & 1U) != 0;
}

// 1 if x has an odd number of ones, else 0.
constexpr unsigned parity(Word x) {
  return static_cast<unsigned>(std::popcount(x)) & 1U;
}

// Positions of the lowest and the highest one. Require x != 0.
constexpr int lowest_bit(Word x) {
  return std::countr_zero(x);
}
constexpr int highest_bit(Word x) {
  return word_bits - 1 - std::countl_zero(x);
}

constexpr bool is_power_of_two(Word x) {
  return std::has_single_bit(x);
}

// The i with 2^i = x. Requires a power of two.
constexpr int log2_exact(Word x) {
  return std::countr_zero(x);
}

// Bits lo..hi set. Requires 0 <= lo <= hi < 64.
constexpr Word bit_range(int lo, int hi) {
  return low_mask(hi - lo + 1) << lo;
}

}  // namespace faro::inline v1
