// Single elements followed back from where they end: evidence where no proof is had, whatever laps
// and elements there are.
//
//   processor 5, slot 700000 at the end: written by the rule {slot 0 across 2 into 7, advance
//   (1, 1)} in lap 699993, which read slot 699993 of processor 1; that was there at the beginning
//
// Of each place the last write before is looked for in every rule, whose lap is known from the
// slot: a sample costs hops times rules, and no lap is performed. It shares nothing with replay and
// proofs. What is wrong of a sample is wrong of the schedule. That all samples are right proves
// nothing, of links and ports nothing is asked, and so the answer is never yes.
#pragma once

#include <cstdint>
#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// For goals that are maps or lists, of schedules of rules and listed moves. The places are drawn,
// the same ones every time.
std::unique_ptr<Verifier> make_samples(std::uint64_t count);

}  // namespace faro::inline v1
