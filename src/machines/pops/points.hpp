// The processors that meet the conditions of a rule, one by one, and where the rule sends each.
// Written from the masks alone: replay shares no linear algebra with planners and proof.
//
//   bits 2, conditions parity(p & 0b11) = 1:   visits 0b01, 0b10
#pragma once

#include <functional>
#include <span>

#include "faro/schedules/steps.hpp"

namespace faro::inline v1 {

// Calls visit(p) for every p of `bits` address bits that meets all conditions.
void for_each_meeting(std::span<const Parity> conditions, int bits,
                      const std::function<void(Word)>& visit);

// The processor whose bits, most significant first, are the rows' parities of p.
Word target_of(std::span<const Parity> rows, Word p);

}  // namespace faro::inline v1
