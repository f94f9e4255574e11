// The words of a move between placements: both sides are read, then a GridMove is made of them.
#include "layouts/grid_words.hpp"

#include "faro/base/error.hpp"
#include "faro/distributed/grid_move.hpp"
#include "faro/words/say.hpp"
#include "words/arrows.hpp"

namespace faro::inline v1 {
namespace {

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

}  // namespace

GridMove grid_move(std::string_view words, const std::vector<std::uint64_t>& shape,
                   GridMoveOptions options) {
  const std::vector<std::string_view> sides = between_arrows(words);
  if (sides.size() < 2 || sides.size() > 3)
    throw NotationError(NotationFault::syntax, 0,
                        "a move between ranks is 'PLACEMENT => PLACEMENT', or with a map between: "
                        "'PLACEMENT => r c -> c r => PLACEMENT'",
                        words);
  if (!options.order.empty() || !options.reversed.empty() || !options.roll.empty())
    throw Error(ErrorCode::usage, "the words say the order of axes; leave it out of the options");
  const GridPlacement from = read_grid_placement(sides[0], shape);
  if (sides.size() == 2) return {from, read_grid_placement(sides[1], from.shape()), options};
  Sizes sizes;
  sizes.shape = from.shape();
  const Said said = say(sides[1], sizes);
  const auto to_shape = said.shape ? *said.shape : from.shape();
  return {from, read_grid_placement(sides[2], to_shape), said.map, options};
}

bool says_grid_move(std::string_view words) {
  const std::vector<std::string_view> sides = between_arrows(words);
  return sides.size() >= 2 && sides.size() <= 3 && places_on_ranks(sides.front()) &&
         places_on_ranks(sides.back());
}

}  // namespace faro::inline v1
