// Every map of a few elements, random ones, and what they are as tables.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "base/words_less.hpp"
#include "faro/algebra/map.hpp"
#include "maps.hpp"

namespace faro::testing {

using Table = std::vector<Word>;

// The obvious evaluation: an odometer over the source's digits, which a Map never sees whole.
inline Table table_of(const Digits& digits) {
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
      if (digit.reversed) value = digit.length - 1 - value;
      y = y * digit.length + (value + digit.roll) % digit.length;
    }
    table.push_back(y);
    for (std::size_t i = k; i-- > 0;) {
      if (++at[i] < digits.from[i].length) break;
      at[i] = 0;
    }
  }
  return table;
}

inline Table table_of(const Map& map) {
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

enum class Turns { reversals, all };

// Visits the lengths among `digits` turned in every way.
inline void every_turn(Digits& digits, std::size_t k, Turns turns,
                       const std::function<void()>& visit) {
  if (k == digits.to.size()) return visit();
  Digit& digit = digits.to[k];
  if (digit.which == Digit::is_bit) return every_turn(digits, k + 1, turns, visit);
  for (const bool reversed : {false, true}) {
    for (Word roll = 0; roll < (turns == Turns::all ? digit.length : 1); ++roll) {
      digits.to[k].reversed = reversed;
      digits.to[k].roll = roll;
      every_turn(digits, k + 1, turns, visit);
    }
  }
}

// Every map of n elements with at most `parts` digits: orders, turns, affine maps of the bits.
// Digits of 2 are bits; powers of two occur both as lengths and as bits.
inline void every_map(Word n, std::size_t parts, std::size_t some, Turns turns,
                      const std::function<void(const Digits&)>& visit) {
  Random random(n);
  std::vector<Word> start;
  factor(n, parts, start, [&](const std::vector<Word>& lengths) {
    Digits digits;
    int numbers = 0;
    int width = 0;
    for (const Word length : lengths) {
      Digit digit{length, Digit::is_bit};
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
      digits.to.clear();
      for (const std::size_t k : order) digits.to.push_back(digits.from[k]);
      every_turn(digits, 0, turns, [&] {
        for (const BitMap& map : maps) {
          digits.bits = map;
          visit(digits);
        }
      });
    } while (std::next_permutation(order.begin(), order.end()));
  });
}

// A map of n elements: any digits in any order, some of them turned, powers of two as lengths or as
// bits, these mixed or not.
inline Map random_turned(Word n, Random& random) {
  Digits digits;
  int numbers = 0;
  std::vector<Digit> pieces;
  while (n > 1) {
    std::vector<Word> divisors;
    for (Word d = 2; d <= n; ++d)
      if (n % d == 0) divisors.push_back(d);
    const Word length = divisors[random.below(divisors.size())];
    n /= length;
    if (is_power_of_two(length) && random.below(10) < 7) {
      digits.from.insert(digits.from.end(), static_cast<std::size_t>(log2_exact(length)), Digit{});
      pieces.insert(pieces.end(), static_cast<std::size_t>(log2_exact(length)), Digit{});
    } else {
      digits.from.push_back({length, numbers});
      pieces.push_back({length, numbers++, random.below(10) < 4,
                        random.below(3) == 0 ? random.below(length) : 0});
    }
  }
  while (!pieces.empty()) {
    const auto k = static_cast<std::ptrdiff_t>(random.below(pieces.size()));
    digits.to.push_back(pieces[static_cast<std::size_t>(k)]);
    pieces.erase(pieces.begin() + k);
  }
  const int width = static_cast<int>(std::count(digits.from.begin(), digits.from.end(), Digit{}));
  digits.bits = random.below(3) == 0 ? random_affine(width, random) : BitMap::identity(width);
  return Map::from_digits(digits);
}

inline Map rolled(Word length, Word roll) {
  return Map::turn(length, {false, roll});
}

inline Map reversed(Word length) {
  return Map::turn(length, {true, 0});
}

}  // namespace faro::testing
