// What a plan says of itself: the facts of its passes, whichever way each of them goes.
//
//   6001 x 6001 doubles in place, transposed: one pass, "blocks", 576 MB read and written
#pragma once

#include <vector>

#include "engine/exchange.hpp"
#include "engine/motion.hpp"
#include "engine/passes.hpp"
#include "faro/engine/permute_plan.hpp"

namespace faro::inline v1::engine {

PlanFacts facts_of(const std::vector<Pass>& passes, std::uint64_t data_bytes, Place place);
PlanFacts facts_of(const Motion& motion);
PlanFacts facts_of(const NormalForm& form, const std::vector<Exchange>& exchanges);
// One more in place.
void add_pass(PlanFacts& facts, const Exchange& exchange);

}  // namespace faro::inline v1::engine
