#include "algebra/notation_named.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

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
     {"bit-reversal", "bitrev bitreverse reverse-bits dyadic paley", "rev(i)", false, reversal},
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
     {"fftshift", "ifftshift", "i ^ 2^(p-1)", false, half_turn},
     {"butterfly-order", "fft-order", "rev(i)", false, reversal}}};

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
    // Other people's names of the same functions.
    {"reverse", "rev(i)"},
    {"bitrev", "rev(i)"},
    {"bitreverse", "rev(i)"},
    {"rotate", "rot(i, 1)"},
    {"rol", "rot(i, 1)"},
    {"ror", "rot(i, -1)"},
    {"shuffle", "rot(i, 1)"},
    {"interleave", "zip(a, b)"},
    {"morton", "zip(a, b)"},
    {"deinterleave", "unzip(i, 2)"},
    {"not", "~i"},
    {"flip", "~i"},
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

// Small letters, without what people put between words.
std::string plain(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (c != '-' && c != '_')
      letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return letters;
}

// Levenshtein's distance, with one of the two as a beginning of the other counted as 1.
std::size_t distance(const std::string& a, const std::string& b) {
  if (a.size() >= 3 && b.size() >= 3 && (a.starts_with(b) || b.starts_with(a)))
    return a.size() == b.size() ? 0 : 1;
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

// Beyond this two names have nothing to do with each other.
std::size_t nearness(const std::string& name) {
  return name.size() < 4 ? 1 : 2;
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
  const std::string letters = plain(name);
  std::string_view nearest;
  std::size_t least = nearness(letters) + 1;
  for (const NamedMapEntry& entry : entries) {
    std::vector<std::string_view> names = words_of(entry.aliases);
    names.push_back(entry.name);
    for (const std::string_view known : names) {
      const std::size_t far = distance(letters, plain(known));
      if (far >= least) continue;
      least = far;
      nearest = known;
    }
  }
  if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
  if (letters == "hadamard" || letters == "natural")
    return "natural (Hadamard) order is where a Walsh transform starts; sequency and dyadic lead "
           "away from it";
  if (const std::string function = other_function_than(name); !function.empty()) return function;
  return "`faro maps` lists all; others are written i:4 -> rev(i)";
}

std::string other_function_than(std::string_view name) {
  const std::string letters = plain(name);
  const FunctionName* nearest = nullptr;
  std::size_t least = nearness(letters) + 1;
  for (const FunctionName& function : function_names) {
    const std::size_t far = distance(letters, std::string(function.name));
    if (far >= least) continue;
    least = far;
    nearest = &function;
  }
  return nearest == nullptr ? std::string() : fmt::format("did you mean {}?", nearest->form);
}

std::string_view why_impossible(std::string_view name) {
  if (name == "tornado") return "tornado adds to a digit: not an affine map of index bits";
  if (name == "neighbor") return "neighbor adds to a digit: not an affine map of index bits";
  if (name == "uniform") return "uniform is random: no fixed map";
  return {};
}

}  // namespace faro::inline v1::notation
