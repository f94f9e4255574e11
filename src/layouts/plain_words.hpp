// A map in whatever words, as the notation says it: for those who read the notation alone.
//
//   xla:{devices=[2,1,4]<=[4,2]T(1,0)} => xla:{devices=[1,8,1]<=[8]}, 16x16x16
//                                         p:3 | m:9 -> ..., place to place
//   ~i                                    i -> ~i
//   i -> rev(i)                           itself
#pragma once

#include <string>
#include <string_view>

#include "faro/layouts/foreign.hpp"

namespace faro::inline v1::layouts {

// Throws what read_map throws.
std::string plain_words(std::string_view map, const ForeignSizes& sizes);

}  // namespace faro::inline v1::layouts
