#include "faro/distributed/grid_words.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "faro/base/error.hpp"
#include "faro/layouts/grid_words.hpp"
#include "faro/words/say.hpp"
#include "words/arrows.hpp"

namespace faro::inline v1 {
namespace {

using Lengths = std::vector<Word>;

// What stands between '=>', outside quotes.
std::vector<std::string_view> between_arrows(std::string_view words) {
  std::vector<std::string_view> sides;
  while (const auto arrow = arrow_of(words)) {
    sides.push_back(words.substr(0, *arrow));
    words.remove_prefix(*arrow + 2);
  }
  sides.push_back(words);
  return sides;
}

// x -> y of whole axes, each perhaps reversed.
Map map_of_axes(const Lengths& shape, const std::vector<std::size_t>& order,
                const std::vector<bool>& reversed) {
  std::vector<int> axes(order.begin(), order.end());
  Map turns;
  for (std::size_t k = 0; k < order.size(); ++k)
    turns = beside(turns, Map::turn(shape[order[k]], {reversed[k], 0}));
  return then(Map::from_axes(shape, axes), turns);
}

// Digits of an index in C order.
Lengths digits_at(Word index, const Lengths& shape) {
  Lengths digits(shape.size());
  for (std::size_t a = shape.size(); a-- > 0; index /= shape[a]) digits[a] = index % shape[a];
  return digits;
}

// Which axis of the new array each old one is, seen from where its neighbours go; held against the
// map itself in the end.
void read_axes_of(const Said& said, const Lengths& shape, GridMoveOptions& options) {
  const Lengths to = said.shape ? *said.shape : shape;
  const auto refuse = [&]() -> void {
    throw Error(ErrorCode::impossible,
                "between ranks whole axes change places and are reversed; this map does more, and "
                "parts of ranks would be no boxes. Do the rest on each rank before or after");
  };
  if (to.size() != shape.size()) refuse();
  const std::size_t axes = shape.size();
  const Lengths start = digits_at(said.map(0), to);
  std::vector<bool> taken(axes);
  options.order.assign(axes, axes);
  options.reversed.assign(axes, false);
  Word stride = 1;
  for (std::size_t a = axes; a-- > 0; stride *= shape[a]) {
    if (shape[a] == 1) continue;
    const Lengths next = digits_at(said.map(stride), to);
    std::size_t moved = axes;
    for (std::size_t k = 0; k < axes; ++k)
      if (next[k] != start[k] && !taken[k]) moved = k;
    if (moved == axes || to[moved] != shape[a]) return refuse();
    taken[moved] = true;
    options.order[moved] = a;
    options.reversed[moved] = start[moved] != 0;
  }
  // Axes of length 1 take the places that are left, in their order.
  std::size_t k = 0;
  for (std::size_t a = 0; a < axes; ++a) {
    if (shape[a] != 1) continue;
    while (taken[k]) ++k;
    if (to[k] != 1) return refuse();
    taken[k] = true;
    options.order[k] = a;
  }
  if (!(map_of_axes(shape, options.order, options.reversed) == said.map)) refuse();
}

}  // namespace

GridMove grid_move(std::string_view words, const std::vector<std::uint64_t>& shape,
                   GridMoveOptions options) {
  const std::vector<std::string_view> sides = between_arrows(words);
  if (sides.size() < 2 || sides.size() > 3)
    throw NotationError(NotationFault::syntax, 0,
                        "a move between ranks is 'PLACEMENT => PLACEMENT', or with a map between: "
                        "'PLACEMENT => r c -> c r => PLACEMENT'",
                        words);
  if (!options.order.empty() || !options.reversed.empty())
    throw Error(ErrorCode::usage, "the words say the order of axes; leave it out of the options");
  const GridPlacement from = read_grid_placement(sides[0], shape);
  Lengths to_shape = from.shape();
  if (sides.size() == 3) {
    Sizes sizes;
    sizes.shape = from.shape();
    const Said said = say(sides[1], sizes);
    read_axes_of(said, from.shape(), options);
    for (std::size_t k = 0; k < to_shape.size(); ++k) to_shape[k] = from.shape()[options.order[k]];
  }
  return {from, read_grid_placement(sides.back(), to_shape), options};
}

bool says_grid_move(std::string_view words) {
  const std::vector<std::string_view> sides = between_arrows(words);
  return sides.size() >= 2 && sides.size() <= 3 && places_on_ranks(sides.front()) &&
         places_on_ranks(sides.back());
}

}  // namespace faro::inline v1
