// The verifiers of a POPS network, by the rules R1 to R9 in machines/pops/model.hpp.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> pops_replay();
std::unique_ptr<Verifier> pops_proof();
// The one of its two proofs that knows no number of processors: of maps with one register as
// result.
std::unique_ptr<Verifier> pops_subspace_proof();

}  // namespace faro::inline v1
