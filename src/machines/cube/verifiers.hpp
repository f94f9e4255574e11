// The verifiers of the Boolean cube: moves and rules, all ports or some; goals that are a map, a
// list, a broadcast or a butterfly network.
//
// Rules of the machine, by the names their violations carry:
//
//   proc-range, slot-range, dimension-range, mask-range    a number that the machine does not have
//   not-a-link     a remote move joins processors that differ in more than one bit
//   link-twice     a directed link carries two elements in one step
//   one-port       with one port, a processor uses two dimensions in one step, sending or receiving
//   ports          with k ports, a processor uses more than k dimensions
//   reads-empty    a move reads a slot that nothing wrote
//   two-writes     two moves of a step write one slot
//   butterfly      a computation in a schedule that only moves data
//   goal           the goal contradicts the machine or itself
//   not-delivered  an element is not where the goal wants it at the end
//   cost-claim     the header claims another cost than what is counted
//   bound-claim    the header claims a lower bound above what the schedule takes
//
// In a butterfly network stage s combines index i, bit p-1-s zero, in slot `low` with i + 2^(p-1-s)
// in slot `high`; both must have done exactly the stages before it, in the order of the goal:
//
//   butterfly-range  a slot or a stage that does not exist, or one slot for both operands
//   stage            an operand has done other stages than those before
//   pair             the operands are no pair of the stage, or stand in the wrong order
//   in-place         a butterfly is missing, done twice, or done by halves where the goal says in
//                    place
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> cube_replay();
std::unique_ptr<Verifier> cube_proof();
// The one of its two proofs that knows no number of processors.
std::unique_ptr<Verifier> subspace_proof();

// Of a butterfly network.
std::unique_ptr<Verifier> butterfly_replay();
std::unique_ptr<Verifier> butterfly_proof();

}  // namespace faro::inline v1
