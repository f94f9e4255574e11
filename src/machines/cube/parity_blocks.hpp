// Which processors meet a rule's conditions, sixty-four at a time, from the masks alone.
//
//   width 7, parity(p & 0b1000001) = 1:   block 0 (p = 0..63):    members 0xaaaa... (odd p)
//                                         block 1 (p = 64..127):  members 0x5555... (even p)
//
// Bit j of `members` of block b stands for processor 64b + j. Within a block a condition is one of
// two patterns, chosen by the parity of the block's number; conditions on the block's number alone
// cut the search as soon as their bits are decided.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "faro/base/bits.hpp"
#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

inline constexpr int block_bits = 6;

// Bit j set where j has an odd number of the bits of `mask` (below 64).
constexpr Word odd_pattern(Word mask) {
  constexpr std::array<Word, block_bits> of_bit = {0xaaaaaaaaaaaaaaaaU, 0xccccccccccccccccU,
                                                   0xf0f0f0f0f0f0f0f0U, 0xff00ff00ff00ff00U,
                                                   0xffff0000ffff0000U, 0xffffffff00000000U};
  Word pattern = 0;
  for (std::size_t i = 0; i < of_bit.size(); ++i)
    if (has_bit(mask, static_cast<int>(i))) pattern ^= of_bit[i];
  return pattern;
}

// Bit j of `members` goes to j ^ 2^d. Requires 0 <= d < 6.
constexpr Word exchanged(Word members, int d) {
  const Word odd = odd_pattern(bit(d));
  const int by = static_cast<int>(bit(d));
  return ((members & odd) >> by) | ((members & ~odd) << by);
}

class ParityBlocks {
 public:
  // Conditions whose masks fit `width` bits.
  ParityBlocks(int width, std::span<const Parity> where) : width_(width) {
    for (const Parity& c : where) {
      const Word high = c.mask >> block_bits;
      const Word low = c.mask & low_mask(block_bits);
      if (low == 0) {
        of_block_.push_back({high, c.value});
      } else {
        inside_.push_back({high, c.value, odd_pattern(low)});
      }
    }
  }

  // Calls visit(block, members) for every block that has members, ascending.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const int high_bits = width_ > block_bits ? width_ - block_bits : 0;
    const Word everybody =
        width_ >= block_bits ? ~Word{0} : low_mask(static_cast<int>(bit(width_)));
    const auto leaf = [&](Word block) {
      Word members = everybody;
      for (const Inside& c : inside_) {
        const Word odd = Word{0} - (parity(block & c.high) ^ c.value);  // all ones or none
        members &= ~(c.pattern ^ odd);
      }
      if (members != 0) visit(block, members);
    };
    if (of_block_.empty()) {
      for (Word block = 0; block < bit(high_bits); ++block) leaf(block);
    } else {
      descend(Word{0}, high_bits, leaf);
    }
  }

 private:
  struct Inside {
    Word high;
    unsigned value;
    Word pattern;
  };

  // Bits `undecided` and above of `block` are chosen. A condition is tested once all its bits are.
  template <class Leaf>
  void descend(Word block, int undecided, const Leaf& leaf) const {
    for (const Parity& c : of_block_) {
      const bool decided = c.mask == 0 || lowest_bit(c.mask) >= undecided;
      if (decided && !c.holds(block)) return;
    }
    if (undecided == 0) return leaf(block);
    descend(block, undecided - 1, leaf);
    descend(block | bit(undecided - 1), undecided - 1, leaf);
  }

  int width_;
  std::vector<Parity> of_block_;
  std::vector<Inside> inside_;
};

// Calls visit(p) for every p of `bits` address bits that meets all conditions, ascending.
template <class Visit>
void for_each_meeting(int bits, std::span<const Parity> where, Visit&& visit) {
  ParityBlocks(bits, where).for_each([&](Word block, Word members) {
    for (Word rest = members; rest != 0; rest &= rest - 1)
      visit((block << block_bits) + static_cast<Word>(lowest_bit(rest)));
  });
}

}  // namespace faro::inline v1
