#include "algebra/notation_named.hpp"

#include <algorithm>
#include <array>

#include "faro/algebra/gray.hpp"

namespace faro::inline v1::notation {
namespace {

// The bit map that sends bit b to position place(b).
template <class Place>
BitMap placed(int width, Place place) {
  std::array<int, word_bits> places{};
  for (int b = 0; b < width; ++b) places[static_cast<std::size_t>(b)] = place(b);
  return BitMap::from_places(std::span(places.data(), static_cast<std::size_t>(width)));
}

BitMap reversal(int w) {
  return placed(w, [w](int b) { return w - 1 - b; });
}
BitMap complement(int w) {
  return BitMap::from_matrix(BitMatrix::identity(w), low_mask(w));
}
BitMap rotation(int w, int k) {
  return placed(w, [=](int b) { return (b + k) % w; });
}
BitMap shuffle(int w) {
  return rotation(w, 1);
}
BitMap unshuffle(int w) {
  return rotation(w, w - 1);
}
BitMap transpose(int w) {
  return rotation(w, w / 2);
}
// zip(h, l): the upper half's bit b goes to 2b + 1, the lower half's to 2b.
BitMap bit_shuffle(int w) {
  return placed(w, [h = w / 2](int b) { return b < h ? 2 * b : 2 * (b - h) + 1; });
}
BitMap bit_unshuffle(int w) {
  return bit_shuffle(w).inverse();
}

constexpr std::array<NamedMapEntry, 10> entries = {
    {{"identity", "", false, BitMap::identity},
     {"bit-reversal", "bitrev", false, reversal},
     {"vector-reversal", "bitcomp", false, complement},
     {"perfect-shuffle", "shuffle", false, shuffle},
     {"unshuffle", "", false, unshuffle},
     {"transpose", "", true, transpose},
     {"bit-shuffle", "", true, bit_shuffle},
     {"shuffled-row-major", "", true, bit_unshuffle},
     {"gray", "", false, gray_map},
     {"ungray", "", false, ungray_map}}};

}  // namespace

const NamedMapEntry* named_map(std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const NamedMapEntry& e) {
    return e.name == name || (!e.alias.empty() && e.alias == name);
  });
  return found == entries.end() ? nullptr : found;
}

std::string_view why_impossible(std::string_view name) {
  if (name == "tornado") return "tornado adds to a digit: not an affine map of index bits";
  if (name == "neighbor") return "neighbor adds to a digit: not an affine map of index bits";
  if (name == "uniform") return "uniform is random: no fixed map";
  return {};
}

}  // namespace faro::inline v1::notation
