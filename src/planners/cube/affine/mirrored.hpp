// One member of a request's orbit planned for all: the least of several of its mirrors' plans.
//
//   a:2 -> a[0] ~a[1]    and its inverse, and both with dimensions renamed: one count for all
//
// Some planners count differently for maps that are the same but for names, a translation or the
// direction of time. This one goes to the orbit's representative (mirror.hpp), asks them about it
// and mirrors of it, the same ones for the whole orbit, and takes the plan back. Cubes of more
// dimensions have too many orders for a representative: there the few mirrors are of the request.
#pragma once

#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry affine_mirrored;
extern const PlannerEntry affine_few_mirrors;

}  // namespace faro::inline v1
