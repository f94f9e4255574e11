// The verifiers of ranks:P, by the rules in machines/ranks/model.hpp.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> ranks_replay();
std::unique_ptr<Verifier> ranks_proof();

}  // namespace faro::inline v1
