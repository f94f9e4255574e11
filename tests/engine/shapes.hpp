// Random arrays of any shape, strides and maps, and what is right for them.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "engine/affine.hpp"
#include "faro/algebra/map.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::testing {

struct ShapeCase {
  Map map;
  TensorShape shape;
  std::string text;
};

template <class T, std::size_t N>
T one_of(Random& random, const T (&list)[N]) {
  return list[random.below(N)];
}

// Strides of an array of this shape within a larger one: gaps, steps and axes backwards; an order
// of axes of its own.
inline ArrayPlaces random_places(const std::vector<Word>& shape, std::uint64_t element, bool gaps,
                                 Random& random) {
  ArrayPlaces places;
  places.shape = shape;
  places.strides.resize(shape.size());
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (gaps && random.below(3) == 0) random.mix(order);
  std::uint64_t stride = element;
  std::uint64_t back = 0;
  for (std::size_t n = order.size(); n-- > 0;) {
    const std::size_t k = order[n];
    if (gaps && random.below(6) == 0) stride *= 2;
    const bool backwards = gaps && random.below(5) == 0;
    if (backwards) back += stride * (shape[k] - 1);
    places.strides[k] =
        backwards ? -static_cast<std::int64_t>(stride) : static_cast<std::int64_t>(stride);
    const std::uint64_t pad = gaps && random.below(5) == 0 ? random.below(4) : 0;
    stride *= shape[k] + pad;
    if (gaps && random.below(12) == 0) stride += random.below(9);
  }
  places.offset = back + (gaps ? random.below(70) : 0);
  return places;
}

// One to four axes whose product is about `elements_max`, powers of two among them.
inline std::vector<Word> random_lengths(Word elements_max, Random& random) {
  static constexpr Word lengths[] = {2, 3, 4, 5, 8, 12, 16, 20, 24, 40};
  std::vector<Word> shape;
  for (Word k = 0, axes = 1 + random.below(4), left = elements_max; k < axes; ++k) {
    shape.push_back(one_of(random, lengths));
    if (left /= shape.back(); left < 2) break;
  }
  return shape;
}

// A random map of digits of these lengths: an order, reversals, and among the bits (lengths 2^k)
// any affine map.
inline Map random_map(std::vector<Word> lengths, bool mixes, Random& random,
                      std::vector<Word>& to_shape) {
  Digits digits;
  std::vector<Digit> pieces;
  int width = 0;
  int which = 0;
  for (const Word length : lengths) {
    if (mixes && length > 1 && is_power_of_two(length) && random.below(2) == 0) {
      for (int i = 0; i < log2_exact(length); ++i) digits.from.push_back({});
      width += log2_exact(length);
      pieces.push_back({length, Digit::is_bit, false});
    } else {
      digits.from.push_back({length, which, false});
      pieces.push_back({length, which++, random.below(4) == 0});
    }
  }
  random.mix(pieces);
  for (const Digit& piece : pieces) {
    to_shape.push_back(piece.length);
    if (piece.which == Digit::is_bit) {
      for (int i = 0; i < log2_exact(piece.length); ++i) digits.to.push_back({});
    } else {
      digits.to.push_back(piece);
    }
  }
  const Word kind = random.below(3);
  digits.bits = kind == 0   ? random_bpc(width, random)
                : kind == 1 ? random_affine(width, random)
                            : gray(width);
  return Map::from_digits(digits);
}

inline std::string text_of(const ArrayPlaces& places) {
  std::string text = "(";
  for (const auto n : places.shape) text += std::to_string(n) + " ";
  text += "/";
  for (const auto n : places.strides) text += " " + std::to_string(n);
  return text + " + " + std::to_string(places.offset) + ")";
}

inline ShapeCase random_case(Random& random, Word most) {
  static constexpr std::uint64_t elements[] = {1, 1, 2, 2,  3,  4,  4,  4,  5,  6,  7,  8,
                                               8, 8, 9, 12, 16, 16, 24, 32, 37, 40, 64, 100};
  static constexpr Word lengths[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 22, 32, 33, 56, 64, 100, 128};
  ShapeCase result;
  result.shape.element_bytes = one_of(random, elements);
  const Word top = std::max<Word>(1, random.below(4) == 0 ? most / 50 : most) /
                   std::min<Word>(8, result.shape.element_bytes);
  std::vector<Word> shape;
  Word left = std::max<Word>(1, top);
  const Word axes = 1 + random.below(6);
  for (Word k = 0; k < axes; ++k) {
    Word length = random.below(3) == 0 ? 1 + random.below(1000) : one_of(random, lengths);
    length = std::max<Word>(1, std::min(length, left));
    shape.push_back(length);
    left /= length;
  }
  random.mix(shape);
  std::vector<Word> to_shape;
  const bool mixes = random.below(3) == 0;
  result.map = random_map(shape, mixes, random, to_shape);
  const bool gaps = random.below(2) == 0;
  result.shape.from = random_places(shape, result.shape.element_bytes, gaps, random);
  result.shape.to =
      random_places(to_shape, result.shape.element_bytes, gaps && random.below(2) == 0, random);
  if (!gaps && random.below(3) == 0) {
    result.shape.from.offset = random.below(70);
    result.shape.to.offset = random.below(70);
  }
  result.text = "elements of " + std::to_string(result.shape.element_bytes) + ", from " +
                text_of(result.shape.from) + " to " + text_of(result.shape.to) +
                (mixes ? ", bits mixed" : "");
  return result;
}

// Bytes that an array reaches to.
inline std::size_t reach(const ArrayPlaces& places, std::uint64_t element) {
  std::uint64_t end = places.offset + element;
  for (std::size_t k = 0; k < places.shape.size(); ++k) {
    if (places.strides[k] > 0) {
      end += (places.shape[k] - 1) * static_cast<std::uint64_t>(places.strides[k]);
    }
  }
  return end;
}

}  // namespace faro::testing
