// Every tensor map of a few elements, and what it is as a table.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "base/words_less.hpp"
#include "faro/algebra/tensor_map.hpp"
#include "maps.hpp"

namespace faro::testing {

using Table = std::vector<Word>;

// The obvious evaluation: an odometer over the source's digits, which a TensorMap never sees whole.
inline Table table_of(const TensorDigits& digits) {
  const std::size_t k = digits.from.size();
  std::vector<Word> at(k, 0);
  Word total = 1;
  for (const Digit& digit : digits.from) total *= digit.length;
  Table table;
  for (Word x = 0; x < total; ++x) {
    std::vector<Word> lengths;
    Word bits = 0;
    for (std::size_t i = 0; i < k; ++i) {
      if (digits.from[i].which == Digit::is_bit)
        bits = 2 * bits + at[i];
      else
        lengths.push_back(at[i]);
    }
    Word image = digits.bits.complement();
    for (int b = 0; b < digits.bits.width(); ++b)
      if (has_bit(bits, b)) image ^= digits.bits.column(b);
    Word y = 0;
    int next = digits.bits.width();
    for (const Digit& digit : digits.to) {
      Word value = 0;
      if (digit.which == Digit::is_bit)
        value = Word{has_bit(image, --next)};
      else
        value = lengths[static_cast<std::size_t>(digit.which)];
      y = y * digit.length + (digit.reversed ? digit.length - 1 - value : value);
    }
    table.push_back(y);
    for (std::size_t i = k; i-- > 0;) {
      if (++at[i] < digits.from[i].length) break;
      at[i] = 0;
    }
  }
  return table;
}

inline Table table_of(const TensorMap& map) {
  Table table;
  for (Word x = 0; x < static_cast<Word>(map.elements()); ++x) table.push_back(map(x));
  return table;
}

inline Table after(const Table& f, const Table& g) {
  Table result;
  for (const Word x : f) result.push_back(g[x]);
  return result;
}

inline void factor(Word n, std::size_t parts, std::vector<Word>& so_far,
                   const std::function<void(const std::vector<Word>&)>& visit) {
  if (n == 1) return visit(so_far);
  if (parts == 0) return;
  for (Word d = 2; d <= n; ++d) {
    if (n % d != 0) continue;
    so_far.push_back(d);
    factor(n / d, parts - 1, so_far, visit);
    so_far.pop_back();
  }
}

// All affine maps of w bits where that is few, else `some` random ones.
inline std::vector<BitMap> bit_maps(int w, std::size_t some, Random& random) {
  std::vector<BitMap> maps;
  if (w == 0) return {BitMap()};
  for_every_matrix(w <= 2 ? w : 1, [&](const BitMatrix& matrix) {
    if (w <= 2)
      for (Word c = 0; c < bit(w); ++c) maps.push_back(BitMap::from_matrix(matrix, c));
  });
  if (w > 2) maps.push_back(BitMap::identity(w));
  while (w > 2 && maps.size() < some) maps.push_back(random_affine(w, random));
  return maps;
}

// Every map of n elements with at most `parts` digits: orders, reversals, affine maps of the bits.
// Digits of 2 are bits; powers of two occur both as lengths and as bits.
inline void every_map(Word n, std::size_t parts, std::size_t some,
                      const std::function<void(const TensorDigits&)>& visit) {
  Random random(n);
  std::vector<Word> start;
  factor(n, parts, start, [&](const std::vector<Word>& lengths) {
    TensorDigits digits;
    std::vector<Digit> to;
    int numbers = 0;
    int width = 0;
    for (const Word length : lengths) {
      Digit digit{length, Digit::is_bit, false};
      if (length == 2)
        ++width;
      else
        digit.which = numbers++;
      digits.from.push_back(digit);
    }
    const std::vector<BitMap> maps = bit_maps(width, some, random);
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      for (Word reversed = 0; reversed < bit(numbers); ++reversed) {
        digits.to.clear();
        for (const std::size_t k : order) {
          digits.to.push_back(digits.from[k]);
          Digit& digit = digits.to.back();
          if (digit.which >= 0) digit.reversed = has_bit(reversed, digit.which);
        }
        for (const BitMap& map : maps) {
          digits.bits = map;
          visit(digits);
        }
      }
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

}  // namespace faro::testing
