// A map as text in the words of its own fields: r:3 c:2 -> c ~r.
#pragma once

#include <string>

#include "faro/algebra/notation.hpp"

namespace faro::inline v1::layouts {

// Runs of bits as slices, sums as `^`; say gives the map and the cut back. Without
// fields, or where they do not fit the map, one field i.
std::string text_with_fields(const Notation& notation);

}  // namespace faro::inline v1::layouts
