// Where consecutive elements of the source go, one after another: a map by carries.
#pragma once

#include <array>
#include <vector>

#include "faro/algebra/map.hpp"

namespace faro::inline v1::radix {

// What all walks of a map share.
class DigitPlaces {
 public:
  explicit DigitPlaces(const Map& map);

 private:
  friend class DigitWalk;
  struct Source {
    Word length = 2;
    Word column = 0;  // of a bit: what it adds to the destination's bits
    Word step = 0;    // of a length: what a step adds to the place, modulo 2^64
    Word last = 0;    // of a length: the value after which the place begins anew
    bool is_bit = true;
  };
  Word of_bits(Word y) const;

  std::vector<Source> source_;  // fastest first
  Word start_ = 0;              // the place of element 0 without its bits
  Word complement_ = 0;
  std::vector<std::array<Word, 256>> bits_;  // places by bytes of the destination's bits
};

class DigitWalk {
 public:
  DigitWalk(const DigitPlaces& places, Word first);
  Word place() const { return lengths_ + places_.of_bits(bits_); }
  void next();

 private:
  const DigitPlaces& places_;
  std::array<Word, word_bits> index_{};
  Word lengths_;
  Word bits_;
};

}  // namespace faro::inline v1::radix
