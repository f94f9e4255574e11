// Replay of a butterfly network on a cube: every element is a token (index, stages done) that the
// moves carry and the butterflies advance.
//
//   stage s combines index i, bit p-1-s zero, in slot `low` with i + 2^(p-1-s) in slot `high`; both
//   must have done exactly the stages before it, in the order of the goal
//
// Rules of the machine carry the names of replay.cpp; the computation adds
//
//   butterfly-range  a slot or a stage that does not exist, or one slot for both operands
//   stage            an operand has done other stages than those before
//   pair             the operands are no pair of the stage, or stand in the wrong order
//   in-place         a butterfly missing, done twice, or done by halves where the goal says in
//   place not-delivered    a result is not at its final place
//
// Memory: some 12 bytes for each slot of each processor; Error(limit) beyond
// limits::replay_elements_log2_max.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// For hypercubes with a ButterflyGoal.
std::unique_ptr<Verifier> butterfly_replay();

}  // namespace faro::inline v1
