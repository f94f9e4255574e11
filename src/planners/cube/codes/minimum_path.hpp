// Code conversion along shortest paths: every element crosses each dimension where its processor
// and its goal differ once, and no other. With R working dimensions (n-1 of one field of n bits) K
// elements take max(K, R) steps: all R links of a processor work all the time once K >= R.
//
//   a:4 -> ungray(a), K = 5:   5 steps: ring 2 1 0 - -, element s starts at place s of it
#pragma once

#include <vector>

#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/codes/exchange_sequence.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

extern const PlannerEntry minimum_path;

// Slots 0..elements-1, max(elements, R) steps; no step if R = 0.
Node minimum_path_node(const std::vector<CodeField>& fields, std::uint64_t elements);

}  // namespace faro::inline v1
