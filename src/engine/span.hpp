// The span of some words over GF(2), built one vector at a time. Smaller and quicker than a
// BitMatrix: planning asks it some hundred questions.
#pragma once

#include <array>
#include <cstddef>

#include "faro/base/bits.hpp"

namespace faro::inline v1::engine {

class Span {
 public:
  // What remains of x when every leading bit of the span is cleared; 0 exactly for its members.
  Word reduced(Word x) const {
    for (Word left = x & leading_; left != 0;) {
      const int top = highest_bit(left);
      x ^= vector(top);
      left = x & leading_ & low_mask(top);
    }
    return x;
  }
  bool contains(Word x) const { return reduced(x) == 0; }

  // False if x is in the span already.
  bool insert(Word x) {
    x = reduced(x);
    if (x == 0) return false;
    const int top = highest_bit(x);
    leading_ |= bit(top);
    by_leading_[static_cast<std::size_t>(top)] = x;
    ++dimension_;
    return true;
  }

  int dimension() const { return dimension_; }
  // The leading bits, as a mask, and the vector of one of them.
  Word leading() const { return leading_; }
  Word vector(int top) const { return by_leading_[static_cast<std::size_t>(top)]; }

  // Clears every leading bit from all other vectors, so that sums of vectors in counting order
  // ascend.
  void reduce_fully() {
    for (Word a = leading_; a != 0; a &= a - 1) {
      const int top = lowest_bit(a);
      Word& x = by_leading_[static_cast<std::size_t>(top)];
      for (Word below = x & leading_ & low_mask(top); below != 0;) {
        const int at = highest_bit(below);
        x ^= vector(at);
        below = x & leading_ & low_mask(at);
      }
    }
  }

 private:
  Word leading_ = 0;
  int dimension_ = 0;
  std::array<Word, word_bits> by_leading_{};
};

}  // namespace faro::inline v1::engine
