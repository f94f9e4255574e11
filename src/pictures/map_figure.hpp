// Pictures of a map: where each bit goes, its matrix, and an array before and after.
//
//   to_svg(map_figure(say("i:4 -> rev(i)").as_bits()))
//   to_tikz(map_figure(say("r:3 c:2 -> c r").as_bits(), MapPicture::strands))
#pragma once

#include "faro/algebra/notation.hpp"
#include "pictures/figure.hpp"

namespace faro::inline v1 {

// strands: a line from each old bit to the new bits that it is summed into. matrix: row b is new
// bit b. array: all elements, up to 2^8 of them. all: one below another, the array where it fits.
enum class MapPicture { standard, strands, matrix, array, all };

// standard is strands and matrix. Throws Error(limit) for the array of a larger map.
Figure map_figure(const Notation& notation, MapPicture what = MapPicture::standard);

}  // namespace faro::inline v1
