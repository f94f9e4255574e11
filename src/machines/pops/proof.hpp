// Proof of a POPS schedule; of one of rules whatever the number of processors.
//
// Each register holds a partition of the processors into affine subspaces, with the affine map that
// says where the datum started. A rule is legal if, on its subspace, the receiver determines the
// sender (a processor listens once) and so does the pair of groups (a coupler has one sender);
// between the rules of a slot the subspaces, the receivers and the couplers must be disjoint.
//
//   POPS(2, 2), rule {everybody, register 0, to rows (p_0, p_1), into 1}: the swap of the two bits;
//   receiver (p_0, p_1) and coupler (p_0 <- p_1) determine p: legal, register 1 then holds the
//   datum of (q_0, q_1) everywhere.
//
// That applies to maps with one register as result. What spells its sends out is followed back from
// the goal (machines/list_proof.hpp).
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> pops_proof();
// The one of its two proofs that knows no number of processors.
std::unique_ptr<Verifier> pops_subspace_proof();

}  // namespace faro::inline v1
