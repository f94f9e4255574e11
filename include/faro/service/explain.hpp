// What a map does, as format faro-map/1 (docs/schemas): its matrix, class, cycles, inverse,
// examples and what it costs at least on each kind of machine.
//
//   explain_json("i:4 -> rev(i)")     {"format":"faro-map/1","text":"i:4 -> rev(i)","width":4, ...}
#pragma once

#include <string>
#include <string_view>

#include "faro/words/say.hpp"

namespace faro::inline v1 {

// One line; throws NotationError.
std::string explain_json(std::string_view map, const Sizes& known = {});

}  // namespace faro::inline v1
