// The order of the routes of digit routing: a search over sets of address bits.
//
//   4x4 transpose, rings of bits 1,0 and 3,2:   order 0 2 1 3
//
// Bits are those of the elements' own numbers. Over the bits of a ring carries run: an element's
// way along it is a number whose digits say what it rides. A bit of no ring stands for itself: an
// element rides it up or down if its destination has the other value.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "faro/base/bits.hpp"

namespace faro::inline v1::mesh {

class DigitOrder {
 public:
  DigitOrder(std::span<const Word> destinations, std::vector<Word> rings);

  // Bits that somebody rides.
  Word used() const { return used_; }
  bool carries(int b) const { return has_bit(in_rings_, b); }
  bool rides(Word m, int b) const { return has_bit(ridden_[m], b); }

  // An order of the used bits in which before each route no processor holds more than one element
  // that rides and one that rests. Nothing if there is none or `effort`, which is used up, ends.
  std::optional<std::vector<int>> find(std::uint64_t& effort);

 private:
  bool extend(Word done, int last);
  std::vector<Word> positions(Word done) const;
  bool fits(const std::vector<Word>& at, int next);

  std::span<const Word> destinations_;
  std::vector<Word> rings_;
  Word in_rings_ = 0;
  std::vector<Word> ridden_;  // by element
  Word used_ = 0;
  std::vector<int> order_;
  std::set<Word> failed_;
  std::vector<std::uint8_t> held_;
  std::uint64_t effort_ = 0;
};

}  // namespace faro::inline v1::mesh
