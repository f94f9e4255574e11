// Code conversion along shortest paths: every element crosses each dimension where its processor
// and its goal differ once, and no other.
#pragma once

#include <vector>

#include "faro/planners/code_fields.hpp"
#include "faro/planners/planner.hpp"

namespace faro {

extern const Planner minimum_path;

// The processors that exchange across `dimension` once the dimensions `done` of the field have been
// exchanged: those with an odd number of ones among bits dimension+1..x of their own number, x the
// lowest dimension done above, or the top of the field. The dimensions below the top may come in
// any order. [Johnsson, Ho 1991: Lemma 2 and Theorem 1; the upper end printed there, x-1, is one
// too low: with descending dimensions the range would be empty.]
Word exchange_mask(const CodeField& field, int dimension, Word done);

// Slots 0..elements-1, max(elements, R) steps; no step if R = 0.
StepSource minimum_path_steps(const std::vector<CodeField>& fields, std::uint64_t elements);

}  // namespace faro
