// Loops whose moves are listed, proved from the end back: what lies in a run of places at the end
// was written there by some move in some lap, was read by it elsewhere, and so on to the beginning.
// Work grows with the moves that a body lists and not with laps or elements; nor with how many laps
// an element is on its way, all of which the runs of loop_runs.hpp would have to be performed.
//
//   slots 0, 1, ... 999 of processor 5 at the end: written by move [4, 2, 5, 0] in laps 7, 8, ...
//   it reads slot 2 of 4, which [3, 999, 4, 2] wrote one lap before: 6, 7, ...; and so on
//
// Laps and slots are linear in the number of the place; where another move is the last one from
// some number on, the run is cut there. Links are asked for each step alone, collisions of writes
// are solved for the lap, and every read has to find something that was written before it.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1::loop_proofs {

// Keeps up to so many moves and steps, then leaves the schedule to `other`, and so it does where it
// makes no claim or something but the delivery is wrong. For mesh machines with a map that leaves
// memory bits alone; others are left to `other` at once.
std::unique_ptr<Verifier> follow_first(std::unique_ptr<Verifier> other);

}  // namespace faro::inline v1::loop_proofs
