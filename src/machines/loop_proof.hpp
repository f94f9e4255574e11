// Proof of schedules with loops, whose time depends on neither laps nor elements.
//
// What slots hold is kept as runs (machines/loop_runs.hpp). A loop is proved by induction: its
// first laps are performed one by one; through the last three states go forms that are linear in
// the lap; then the body is performed once, for all laps that are left, on these forms. If they
// come out as the same forms one lap later, they hold before every lap, and the state after the
// last one is known. Where an answer changes at some lap (a run ends, two slots meet), the pass is
// made again up to there, and that lap is performed by itself. Bodies that rotate what a few slots
// hold are performed several laps at a time.
//
//   laps 10^9, body {slot 0 across 0 into 5, advance (1, 0)}: three laps, one pass
//
// Nothing is believed but the steps: every state is found, none is read from the file. Whether a
// step breaks a rule of links and ports does not depend on slots, so each step of a body is asked
// once, of the machine's own proof.
//
// No claim is made where the work grows beyond limits::proof_work_max: strides that do not fit one
// another, or states that no linear form describes.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// Whether such a proof is for this schedule: loops on a cube, a mesh with all links, POPS or ranks,
// whose goal is a map or a list.
bool has_loop_proof(const ScheduleHeader& header);
std::unique_ptr<Verifier> loop_proof();

namespace loop_proofs {

// Keeps up to so many moves and steps, then leaves the schedule to `other`, and so it does where it
// makes no claim or something but the delivery is wrong. For mesh machines with a map that leaves
// memory bits alone; others are left to `other` at once.
std::unique_ptr<Verifier> follow_first(std::unique_ptr<Verifier> other);

}  // namespace loop_proofs

}  // namespace faro::inline v1
