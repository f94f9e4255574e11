// A plan for more elements than there are. The slots that an absent element would start in are
// empty from the beginning; nobody may read an empty slot, so what would have read one is left out.
//
//   a plan for 4 elements, 3 of them there, two processors:
//   every processor sends slot 3 across dimension 0 into slot 0     slot 3 is empty: left out
//   processor 0 sends slot 0 across dimension 0 into slot 3         stays
//   every processor sends slot 3 across dimension 0 into slot 1     only processor 1's stays
//
// Which processors have an element in a slot is followed as affine subspaces, so the size of the
// machine does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

struct FullPlan {
  int dimensions = 0;
  std::uint64_t slots = 0;
  std::vector<CubeStep> steps;
};

// The steps that are left when slot s starts empty unless it is below there.size() and there[s].
// A step that is empty then is gone. Throws Error(limit) where too many subspaces are followed.
std::vector<CubeStep> without_absent(const FullPlan& plan, const std::vector<bool>& there);

}  // namespace faro::inline v1
