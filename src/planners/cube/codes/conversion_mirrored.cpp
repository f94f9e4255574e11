// Mirrors of code conversions.   [faro]
//   applies:  Gray <-> binary on fields of processor bits, dimensions renamed, and translated
//   cost:     that of the conversion                    (tested n <= 8, and 20 and 60 by proof);
//             of more than 10 bits in another order than the code's, without the ring of services
//   bound:    that of the conversion
#include "planners/cube/codes/conversion_mirrored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/check.hpp"
#include "machines/bounds.hpp"
#include "planners/cube/request.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {
namespace {

using mirrors::Renaming;

// Up to here the pieces that a proof may have suffice for any order of dimensions.
constexpr int ring_any_order_dimensions_max = 10;
constexpr std::uint64_t ring_any_order_elements_max = 64;
// Elements times bits whose reversed order is proved in about a second.
constexpr std::uint64_t ring_reversed_work_max = 1U << 12U;

using CodeChain = std::vector<int>;  // dimensions of a field, the highest bit of its code first

// The fields by rows, the longest first; nothing if there is a row that no field has.
std::optional<std::vector<CodeChain>> code_chains(const BitMap& map, Direction direction) {
  const int n = map.width();
  std::map<Word, int> dimension_of;  // by what must be left of the row behind, without its own bit
  std::vector<Word> rows;
  for (int d = 0; d < n; ++d) {
    rows.push_back(map.matrix().row(d));
    dimension_of[direction == Direction::forward ? rows.back() : bit(d)] = d;
  }
  std::vector<int> behind(rows.size(), -1);
  std::vector<int> tops;
  for (int d = 0; d < n; ++d) {
    const Word rest = rows[static_cast<std::size_t>(d)] ^ bit(d);
    if (rest == 0) {
      tops.push_back(d);
      continue;
    }
    const auto before = dimension_of.find(rest);
    if (has_bit(rest, d) || before == dimension_of.end()) return {};
    int& next = behind[static_cast<std::size_t>(before->second)];
    if (next >= 0) return {};  // two rows follow one: a tree
    next = d;
  }
  std::vector<CodeChain> chains;
  // Rows in a circle would be dependent, so every dimension is behind a top.
  for (const int top : tops) {
    chains.emplace_back();
    for (int d = top; d >= 0; d = behind[static_cast<std::size_t>(d)]) chains.back().push_back(d);
  }
  std::stable_sort(chains.begin(), chains.end(),
                   [](const CodeChain& a, const CodeChain& b) { return a.size() > b.size(); });
  return chains;
}

// t with (A + 1) t = c; nothing if there is none. Row j of A + 1 is the bit before or all bits
// before, so c says them one by one, and nothing says the last: it stays 0.
std::optional<Word> translation_for(const std::vector<CodeChain>& chains, Direction direction,
                                    Word c) {
  Word t = 0;
  for (const CodeChain& chain : chains) {
    if (has_bit(c, chain.front())) return {};
    for (std::size_t j = 1; j < chain.size(); ++j)
      if (has_bit(c, chain[j]) != (direction == Direction::forward && has_bit(c, chain[j - 1])))
        t |= bit(chain[j - 1]);
  }
  return t;
}

// The conversion on fields of these lengths from the top dimension down, which become the chains'.
MirroredConversion on_chains(const std::vector<CodeChain>& chains, Direction direction, int n) {
  std::vector<Word> columns(static_cast<std::size_t>(n));
  Renaming names = Renaming::none(n);
  int top = n - 1;
  for (const CodeChain& chain : chains) {
    const int lo = top + 1 - static_cast<int>(chain.size());
    for (const int dimension : chain) {
      columns[static_cast<std::size_t>(top)] = bit_range(lo, top);
      names.place[static_cast<std::size_t>(top--)] = dimension;
    }
  }
  const BitMap to_binary = BitMap::from_columns(columns);
  return {direction == Direction::forward ? to_binary : to_binary.inverse(), std::move(names)};
}

}  // namespace

std::optional<MirroredConversion> mirrored_conversion(const BitMap& map) {
  for (const Direction direction : {Direction::forward, Direction::inverse}) {
    const auto chains = code_chains(map, direction);
    if (!chains) continue;
    const auto translation = translation_for(*chains, direction, map.complement());
    if (!translation) continue;
    MirroredConversion found = on_chains(*chains, direction, map.width());
    found.names.translation = *translation;
    FARO_CHECK(mirrors::renamed(found.map, 0, found.names) == map);
    return found;
  }
  return {};
}

namespace {

std::optional<std::string> refusal_renamed(const Request& request) {
  if (auto why = cube_refusal(request)) return why;
  const auto split = split_map(request);
  if (!split) return "a processor bit of the map depends on a memory bit";
  if (code_conversion(split->processors)) return "the map needs no other names";
  if (!mirrored_conversion(split->processors))
    return "the map is not a conversion between Gray and binary code of fields of processor bits, "
           "whatever their order and the names of processors";
  return {};
}

// The proof keeps sets of processors by their highest bits, and under most other orders of
// dimensions the sets of the ring of services fall into thousands of pieces: nobody could judge
// a plan that is too large to replay. In the order of the code, and from Gray to binary against it,
// they do not.
bool search_is_judged(const MirroredConversion& mirror, std::uint64_t elements) {
  if (mirror.map.width() <= ring_any_order_dimensions_max &&
      elements <= ring_any_order_elements_max)
    return true;
  const auto fields = code_conversion(mirror.map)->working_fields();
  if (fields.size() != 1) return false;
  const auto first = mirror.names.place.begin() + fields[0].lo;
  const auto last = first + fields[0].length;
  return std::is_sorted(first, last) ||
         (elements * static_cast<std::uint64_t>(fields[0].length) <= ring_reversed_work_max &&
          code_conversion(mirror.map)->direction == Direction::forward &&
          std::is_sorted(first, last, std::greater<>()));
}

// Asks the planners with formulas, and searches that depend on no names: others are asked about the
// mirror itself.
Offer cheapest_of(const Request& conversion, const MirroredConversion& mirror) {
  Offer best = cheapest_offer(conversion, Searching::few);
  const Bound bound = lower_bound(*cube_of(conversion), conversion.map(), conversion.elements());
  if (!search_is_judged(mirror, conversion.elements())) return best;
  for (const PlannerEntry* planner :
       entries_where([](const PlannerEntry::Parts& parts) { return parts.of_conversions; })) {
    if (best.estimate.cost.value <= bound.value || planner->refusal(conversion)) continue;
    Answer found = answer_of(conversion, *planner);
    if (found.offer.estimate.cost.value < best.estimate.cost.value) best = std::move(found.offer);
  }
  return best;
}

Offer offer_renamed(const Request& request) {
  const MirroredConversion found = *mirrored_conversion(split_map(request)->processors);
  const auto mirror = mirrors::Mirror::of_processors(request, found.map, found.names);
  return mirror.taken_back(cheapest_of(mirror.question(), found), conversion_mirrored.name(),
                           "that of the conversion");
}

}  // namespace

const PlannerEntry conversion_mirrored({
    .name = "conversion-mirrored",
    .machine = "cube",
    .title = "code conversion with dimensions renamed and processors translated",
    .needs = "Gray <-> binary code on fields of processor bits in any order, translated",
    .cost = "that of the conversion",
    .refusal = refusal_renamed,
    .offer = offer_renamed,
});

}  // namespace faro::inline v1
