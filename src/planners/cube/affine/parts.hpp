// Maps that fall apart: groups of processor bits none of which depends on another group.
//
//   a:4 b:3 -> ungray(a) rot(b, 1)      two parts of the cube: code conversion on four dimensions,
//                                       a rotation on three
//
// Parts meet on no link, so they are works of phases: half of the elements do the one while the
// others do the other. Each part of each size is planned by whoever plans it best.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry parts_by_phases;

}  // namespace faro::inline v1
