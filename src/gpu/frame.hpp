// A basis that remembers how it was made: coordinates in the vectors that were inserted.
//
//   Frame frame; frame.insert(0b110); frame.insert(0b011);
//   frame.coordinates(0b101)      0b11: the sum of both
//
// Planning is counted in xors of words, which a test holds to a bound.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "faro/base/bits.hpp"

namespace faro::inline v1::gpu {

using Words = std::vector<Word>;

// Of this thread, since it began.
inline thread_local std::uint64_t xors_done = 0;

class Frame {
 public:
  struct Rest {
    Word vector;  // what no sum of the frame removes
    Word sum;     // bit i: the i-th vector inserted is in what was removed
  };

  Frame() = default;
  explicit Frame(std::span<const Word> vectors) {
    for (const Word v : vectors) insert(v);
  }

  Rest reduced(Word x) const {
    Word sum = 0;
    for (Word left = x & leading_; left != 0;) {
      const int top = highest_bit(left);
      x ^= rows_[at(top)].vector;
      sum ^= rows_[at(top)].sum;
      left = x & leading_ & low_mask(top);
      ++xors_done;
    }
    return {x, sum};
  }

  // False if x is in the span already.
  bool insert(Word x) {
    Rest rest = reduced(x);
    if (rest.vector == 0) return false;
    rest.sum ^= bit(count_++);
    const int top = highest_bit(rest.vector);
    rows_[at(top)] = rest;
    leading_ |= bit(top);
    return true;
  }

  bool contains(Word x) const { return reduced(x).vector == 0; }
  int dimension() const { return count_; }

  Word coordinates(Word x) const {
    const Rest rest = reduced(x);
    FARO_CHECK(rest.vector == 0);
    return rest.sum;
  }

  // No vector has another's leading bit; ascending.
  Words basis() const {
    Words out;
    std::array<Word, word_bits> clean{};
    for (Word a = leading_; a != 0; a &= a - 1) {
      const int top = lowest_bit(a);
      Word v = rows_[at(top)].vector;
      for (Word low = v & leading_ & low_mask(top); low != 0; low &= low - 1) {
        v ^= clean[at(lowest_bit(low))];
        ++xors_done;
      }
      clean[at(top)] = v;
      out.push_back(v);
    }
    return out;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Word leading_ = 0;
  int count_ = 0;
  std::array<Rest, word_bits> rows_{};
};

inline int rank_of(std::span<const Word> vectors) {
  return Frame(vectors).dimension();
}

inline Words joined(Words a, std::span<const Word> b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The first `count` of them, and the others.
inline Words first_of(const Words& v, int count) {
  return {v.begin(), v.begin() + std::min<std::ptrdiff_t>(count, std::ssize(v))};
}
inline Words rest_of(const Words& v, int count) {
  return {v.begin() + std::min<std::ptrdiff_t>(count, std::ssize(v)), v.end()};
}

// Bits first .. end-1.
inline Words units(int first, int end) {
  Words out;
  for (int i = first; i < end; ++i) out.push_back(bit(i));
  return out;
}

// Those candidates, in order, that are independent of `have` and of one another.
inline Words extend(std::span<const Word> have, std::span<const Word> candidates) {
  Frame frame(have);
  Words out;
  for (const Word v : candidates)
    if (frame.insert(v)) out.push_back(v);
  return out;
}

// The sum of the vectors that the bits of `which` name.
inline Word sum_of(std::span<const Word> vectors, Word which) {
  Word out = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i)
    if (has_bit(which, static_cast<int>(i))) out ^= vectors[i];
  return out;
}

// A basis of what two spans share. Each vector of b that the frame has already is a sum of vectors
// of a and of earlier ones of b; its part in a is shared.
inline Words meet(std::span<const Word> a, std::span<const Word> b) {
  const Words basis = extend({}, a);
  Frame frame(basis);
  Words out;
  for (const Word v : extend({}, b)) {
    const Frame::Rest rest = frame.reduced(v);
    if (rest.vector == 0)
      out.push_back(sum_of(basis, rest.sum));
    else
      frame.insert(v);
  }
  return out;
}

}  // namespace faro::inline v1::gpu
