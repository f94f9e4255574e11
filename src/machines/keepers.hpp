// Which of a map's elements leave their processor, and who keeps least.
#pragma once

#include <optional>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

// The addresses whose bits from `below` on stay as they are.
AffineSpace staying_elements(const MapGoal& goal, int below);

// The elements that stay in their processor are an affine space of addresses: a processor keeps
// none or as many as any other that keeps some. One that keeps none, if there is one. The same of
// groups of 2^group_log2 processors that agree but for their low bits: the lowest of the group.
Word keeps_least(const MapGoal& goal, int group_log2 = 0);

// An element that leaves its processor, by its address; nothing if none does.
std::optional<Word> a_mover(const MapGoal& goal);

}  // namespace faro::inline v1
