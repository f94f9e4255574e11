// Code conversions under other names: dimensions renamed, processors translated.
//
//   a:3 -> rev(ungray(rev(a)))     ungray, bit 2 of the code being dimension 0
//   a:3 -> ungray(a) ^ 1           ungray, 2 added to processors before and after:
//                                  ungray(a ^ 2) ^ 2 = ungray(a) ^ 3 ^ 2
//
// They are planned by the conversion itself, at any size without a search: the rows of the matrix
// say the order of a field's dimensions, row j of ungray being the row before and bit j, of gray
// the bit before and bit j. Of a field's complements all are such mirrors but those that invert its
// highest bit, which A + 1 does not reach.
#pragma once

#include <optional>

#include "planners/cube/affine/mirror.hpp"
#include "planners/cube/codes/code_fields.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

struct MirroredConversion {
  BitMap map;               // a conversion as code_fields.hpp has it, longer fields on top
  mirrors::Renaming names;  // the mirror is mirrors::renamed(map, 0, names)
};

// Nothing if the map is no such mirror of a conversion of all its fields one way.
std::optional<MirroredConversion> mirrored_conversion(const BitMap& map);

extern const PlannerEntry conversion_mirrored;

}  // namespace faro::inline v1
