#include "algebra/digit_walk.hpp"

#include "faro/base/bits.hpp"

namespace faro::inline v1::radix {

DigitPlaces::DigitPlaces(const Map& map) {
  const Digits& digits = map.digits();
  complement_ = digits.bits.complement();
  std::vector<Word> bit_strides;
  std::vector<Source> lengths(digits.from.size());
  Word stride = 1;
  for (std::size_t k = digits.to.size(); k-- > 0; stride *= digits.to[k].length) {
    const Digit& digit = digits.to[k];
    if (digit.which == Digit::is_bit) {
      bit_strides.push_back(stride);
      continue;
    }
    const Word first = digit.reversed ? digit.roll + digit.length - 1 : digit.roll;
    start_ += first % digit.length * stride;
    lengths[static_cast<std::size_t>(digit.which)] = {
        .length = digit.length,
        .step = digit.reversed ? 0 - stride : stride,
        .last = digit.reversed ? first % digit.length : digit.length - 1 - digit.roll,
        .is_bit = false};
  }
  int bits = 0;
  for (std::size_t k = digits.from.size(); k-- > 0;) {
    const Digit& digit = digits.from[k];
    if (digit.which == Digit::is_bit)
      source_.push_back({.column = digits.bits.column(bits++)});
    else
      source_.push_back(lengths[static_cast<std::size_t>(digit.which)]);
  }
  constexpr std::size_t byte_bits = 8;
  bits_.resize((bit_strides.size() + byte_bits - 1) / byte_bits);
  for (std::size_t k = 0; k < bit_strides.size(); ++k)
    for (Word byte = 0; byte < 256; ++byte)
      if (has_bit(byte, static_cast<int>(k % byte_bits)))
        bits_[k / byte_bits][byte] += bit_strides[k];
}

Word DigitPlaces::of_bits(Word y) const {
  Word place = 0;
  for (const auto& byte : bits_) {
    place += byte[y & 0xffU];
    y >>= 8U;
  }
  return place;
}

DigitWalk::DigitWalk(const DigitPlaces& places, Word first)
    : places_(places), lengths_(places.start_), bits_(places.complement_) {
  for (std::size_t k = 0; k < places_.source_.size(); ++k) {
    const DigitPlaces::Source& digit = places_.source_[k];
    index_[k] = first % digit.length;
    first /= digit.length;
    lengths_ += index_[k] * digit.step;
    if (!digit.is_bit && index_[k] > digit.last) lengths_ -= digit.length * digit.step;
    if (index_[k] != 0) bits_ ^= digit.column;
  }
}

void DigitWalk::next() {
  for (std::size_t k = 0; k < places_.source_.size(); ++k) {
    const DigitPlaces::Source& digit = places_.source_[k];
    const bool wraps = index_[k] == digit.last;
    const bool carries = ++index_[k] == digit.length;
    if (digit.is_bit)
      bits_ ^= digit.column;
    else
      lengths_ += wraps ? digit.step - digit.length * digit.step : digit.step;
    if (!carries) return;
    index_[k] = 0;
  }
}

}  // namespace faro::inline v1::radix
