// Proof of a butterfly network on a cube, without enumerating processors.
//
// For each slot a partition of the processors into pieces (space, rows, done): at processor q of
// the space lies the element whose index bit b is rows[b](q), an affine function of q, and `done`
// of its stages are over. A move cuts pieces with the rule's subspace and shifts them. A butterfly
// rule demands, on all of its subspace,
//
//   index bit p-1-s constantly 0 in `low` and 1 in `high`, all other bits equal, stages right
//
// In place it is enough to count: every result needs every pair once, so p * 2^(p-1) butterflies in
// all mean each exactly once. The names of the broken rules are those of butterfly_replay.hpp.
//
// Cost: pieces times index bits for each rule, whatever the number of processors. It answers
// unprovable beyond limits::proof_pieces_of_slot_max pieces of one slot: schedules of explicit
// moves on many processors have no few pieces.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// For hypercubes with a ButterflyGoal.
std::unique_ptr<Verifier> butterfly_proof();

}  // namespace faro::inline v1
