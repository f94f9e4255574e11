// Proof of POPS schedules that spell their sends and receives out, of any number of groups, with
// any goal; rules beside them are spelled out too.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// Whether processors and registers are few enough for it.
bool pops_listed(const ScheduleHeader& header);

// Answers unprovable beyond limits::proof_listed_places_log2_max, proof_product_places_log2_max and
// proof_listed_moves_log2_max.
std::unique_ptr<Verifier> pops_list_proof();

}  // namespace faro::inline v1
