#include "algebra/notation_named.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/nearest.hpp"
#include "faro/algebra/classify.hpp"

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

// From the natural (Hadamard) order of a Walsh transform to that of the number of sign changes.
BitMap sequency(int w) {
  return then(reversal(w), ungray_map(w));
}
BitMap half_turn(int w) {
  return BitMap::from_matrix(BitMatrix::identity(w), w == 0 ? 0 : bit(w - 1));
}
// zip(l, h), the other of Morton's two conventions.
BitMap column_morton(int w) {
  return then(transpose(w), bit_shuffle(w));
}

constexpr std::array<NamedMapEntry, 14> entries = {
    {{"identity", "none", "i", false, BitMap::identity},
     {"bit-reversal", "bitrev reverse-bits dyadic paley", "rev(i)", false, reversal},
     {"vector-reversal", "bitcomp complement flip reverse", "~i", false, complement},
     {"perfect-shuffle", "shuffle", "rot(i, 1)", false, shuffle},
     {"unshuffle", "", "rot(i, -1)", false, unshuffle},
     {"transpose", "", "l h", true, transpose},
     {"bit-shuffle", "morton z-order", "zip(h, l)", true, bit_shuffle},
     {"column-morton", "n-order", "zip(l, h)", true, column_morton},
     {"shuffled-row-major", "unmorton", "unzip(i, 2)", true, bit_unshuffle},
     {"gray", "binary-to-gray", "gray(i)", false, gray_map},
     {"ungray", "gray-to-binary", "ungray(i)", false, ungray_map},
     {"sequency", "walsh", "ungray(rev(i))", false, sequency},
     {"fftshift", "", "roll(i, n div 2)", false, half_turn},
     {"ifftshift", "", "roll(i, -(n div 2))", false, half_turn}}};

// What is no map, or another one than that whose name is nearest.
struct Meant {
  std::string_view name, words;
};
constexpr std::string_view undone =
    "`faro permute --inverse` undoes a map; ungray undoes gray, unshuffle perfect-shuffle";
constexpr std::string_view stored =
    "transpose leads from one to the other; `faro permute --order` says how an array is stored";
constexpr std::string_view of_walsh =
    "`faro transform wht` computes; natural (Hadamard) order is where it starts, sequency "
    "and dyadic lead away from it";
constexpr Meant meant[] = {
    {"inverse", undone},
    {"invert", undone},
    {"rev", "did you mean bit-reversal, i -> rev(i)?"},
    {"reversal", "did you mean bit-reversal, i -> rev(i), or vector-reversal, i -> ~i?"},
    {"blocked",
     "did you mean the layout block? A map leads from one layout to another: "
     "block:2|2 => cyclic"},
    {"row-major", stored},
    {"col-major", stored},
    {"column-major", stored},
    {"T", "did you mean transpose (of a square), or r c -> c r?"},
    {"zcurve", "did you mean morton?"},
    {"z-curve", "did you mean morton?"},
    {"id", "did you mean identity?"},
    {"noop", "did you mean identity?"},
    {"wht", of_walsh},
    {"hadamard", of_walsh},
    {"natural", of_walsh},
};

struct FunctionName {
  std::string_view name, form;
};
constexpr FunctionName function_names[] = {
    {"rev", "rev(i)"},
    {"gray", "gray(i)"},
    {"ungray", "ungray(i)"},
    {"zip", "zip(a, b)"},
    {"unzip", "unzip(i, 2)"},
    {"rot", "rot(i, 1)"},
    {"front", "front(i, 5, 3)"},
    {"back", "back(i, 5, 3)"},
    {"swap", "swap(i, 5, 3)"},
    {"roll", "roll(i, 1)"},
    // Other people's names of the same functions.
    {"reverse", "rev(i)"},
    {"bitreverse", "rev(i)"},
    {"rotate", "rot(i, 1)"},
    {"rol", "rot(i, 1)"},
    {"ror", "rot(i, -1)"},
    {"interleave", "zip(a, b)"},
    {"morton", "zip(a, b)"},
    {"deinterleave", "unzip(i, 2)"},
    {"not", "~i"},
    {"xor", "a^b"},
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace

std::span<const NamedMapEntry> named_maps() {
  return entries;
}

const NamedMapEntry* named_map(std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const NamedMapEntry& e) {
    const std::vector<std::string_view> aliases = words_of(e.aliases);
    return e.name == name || std::find(aliases.begin(), aliases.end(), name) != aliases.end();
  });
  return found == entries.end() ? nullptr : found;
}

std::string other_than(std::string_view name) {
  for (const Meant& word : meant)
    if (word.name == name) return std::string(word.words);
  std::vector<std::string_view> names;
  for (const NamedMapEntry& entry : entries) {
    names.push_back(entry.name);
    for (const std::string_view alias : words_of(entry.aliases)) names.push_back(alias);
  }
  if (const std::string_view known = nearest(name, names); !known.empty())
    return fmt::format("did you mean {}?", known);
  const std::string function = other_function_than(name);
  return function.empty() ? "`faro maps` lists all; others are written i:4 -> rev(i)" : function;
}

std::string other_function_than(std::string_view name) {
  std::vector<FunctionName> known(std::begin(function_names), std::end(function_names));
  for (const NamedMapEntry& entry : entries) {
    if (entry.even) continue;  // of halves, which are no function of a field
    known.push_back({entry.name, entry.meaning});
    for (const std::string_view alias : words_of(entry.aliases))
      known.push_back({alias, entry.meaning});
  }
  std::vector<std::string_view> names;
  for (const FunctionName& function : known) names.push_back(function.name);
  const auto found = std::find(names.begin(), names.end(), nearest(name, names));
  if (found == names.end()) return {};
  return fmt::format("did you mean {}?",
                     known[static_cast<std::size_t>(found - names.begin())].form);
}

std::string_view why_impossible(std::string_view name) {
  if (name == "tornado") return "tornado adds to a digit: not an affine map of index bits";
  if (name == "neighbor") return "neighbor adds to a digit: not an affine map of index bits";
  if (name == "hilbert") return "hilbert turns its parts: no affine map of index bits";
  if (name == "uniform" || name == "random") return "it is random: no fixed map";
  return {};
}

}  // namespace faro::inline v1::notation
