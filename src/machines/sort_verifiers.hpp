// Verifiers of bitonic sorts on a cube. A schedule's header cannot say that its passes are those of
// a sort, so they are chosen by the question; its ButterflyGoal says where indices start and end.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> make_sort_replay();
std::unique_ptr<Verifier> make_sort_proof();

}  // namespace faro::inline v1
