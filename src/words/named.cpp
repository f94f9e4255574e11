// Most named maps are of index bits. Those that mean something for every number of elements, or for
// halves or squares, are maps of lengths there; both ways give one map where both do.
#include "words/named.hpp"

#include <fmt/format.h>

#include <array>

#include "algebra/notation_named.hpp"
#include "base/count_format.hpp"
#include "words/fields.hpp"

namespace faro::inline v1::words {
namespace {

Map two_axes(Word high, Word low) {
  return Map::from_axes(std::array{high, low}, std::array{1, 0});
}

Word root_of(Word n) {
  Word root = 0;
  for (int b = 31; b >= 0; --b)
    if ((root | bit(b)) * (root | bit(b)) <= n) root |= bit(b);
  return root;
}

// Nothing where the map is one of bits only.
std::optional<Map> map_of_lengths(std::string_view name, Word n,
                                  const std::function<void(const std::string&)>& refuse) {
  if (name == "identity") return Map::identity(n);
  if (name == "vector-reversal") return Map::turn(n, {true, 0});
  if (name == "fftshift") return Map::turn(n, {false, n / 2});
  if (name == "ifftshift") return Map::turn(n, {false, (n - n / 2) % n});
  if (name == "perfect-shuffle" || name == "unshuffle") {
    if (n % 2 != 0) refuse(fmt::format("{} needs two halves, and there are {} elements", name, n));
    return name == "unshuffle" ? two_axes(n / 2, 2) : two_axes(2, n / 2);
  }
  if (name == "transpose") {
    const Word root = root_of(n);
    if (root * root != n)
      refuse(fmt::format("{} needs a square, and there are {} elements; of other shapes r c -> c r",
                         name, n));
    return two_axes(root, root);
  }
  return {};
}

}  // namespace

bool is_named_map(std::string_view name) {
  return notation::named_map(name) != nullptr;
}

Map named_map(std::string_view name, Count elements, std::size_t at, std::string_view text) {
  const auto fail = [&](NotationFault fault, const std::string& reason) {
    throw NotationError(fault, at, reason, text);
  };
  if (const auto reason = notation::why_impossible(name); !reason.empty())
    fail(NotationFault::impossible, std::string(reason));
  const notation::NamedMapEntry* entry = notation::named_map(name);
  if (entry == nullptr)
    fail(NotationFault::name,
         fmt::format("no map named '{}'; {}", name, notation::other_than(name)));
  const bool is_power =
      elements.high() == 0 ? is_power_of_two(elements.low()) : elements == Count{1} << 64U;
  if (is_power) {
    const int width = elements.high() == 0 ? log2_exact(elements.low()) : word_bits;
    if (entry->even && width % 2 != 0)
      fail(NotationFault::width,
           fmt::format("{} needs an even number of bits, not {}{}", name, width,
                       name == "transpose" ? "; of other shapes r c -> c r" : ""));
    return Map::from_bits(entry->make(width));
  }
  if (elements > Count{bit(63)}) fail(NotationFault::limit, "more than 2^63 elements");
  const auto map = map_of_lengths(entry->name, elements.low(), [&](const std::string& reason) {
    fail(NotationFault::width, reason);
  });
  if (!map)
    fail(NotationFault::size,
         fmt::format("{} is a map of index bits, and there are {} elements; {}", name, elements,
                     nearest_powers(elements)));
  return *map;
}

}  // namespace faro::inline v1::words
