// Sets of processors as few ternary masks: what planners need that choose processors one by one.
//
//   4 bits, wanted 0100, 0101, 0111, forbidden 0000, 1111, the rest free:   masks 01xx
//
// Wanted processors are covered exactly once, so that a swap under all masks swaps once; free ones
// may be covered any number of times. Greedy: the mask that covers most of what is left. At most
// 2^12 processors, or sets of processors that agree in 12 address bits.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1::mesh {

// Some of the address bits as an address of their own, in their order.
//
//   bits 2, 4 and 5 of six:   spread(0b101) = 0b100100,   gather(0b100111) = 0b101
class AddressBits {
 public:
  explicit AddressBits(Word mask) : mask_(mask) {}

  Word mask() const { return mask_; }
  int count() const { return std::popcount(mask_); }
  Word spread(Word x) const {
    Word address = 0;
    for (Word rest = mask_; rest != 0; rest &= rest - 1, x >>= 1U)
      if ((x & 1U) != 0) address |= rest & (~rest + 1);
    return address;
  }
  Word gather(Word address) const {
    Word x = 0;
    int k = 0;
    for (Word rest = mask_; rest != 0; rest &= rest - 1, ++k)
      if (has_bit(address, lowest_bit(rest))) x |= bit(k);
    return x;
  }

 private:
  Word mask_;
};

enum class Wish : std::uint8_t { forbidden, wanted, free };

// wishes[x] for every x of these bits.
std::vector<TernaryMask> cover(std::vector<Wish> wishes, const AddressBits& bits);

}  // namespace faro::inline v1::mesh
