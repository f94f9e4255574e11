// Bit permutations of processor bits, cycle by cycle.
//
//   p:3 -> rot(p, 1)      one cycle 0 -> 1 -> 2 -> 0: dimension c receives the bit of the one
//   before
//
// The complement of a cycle is counted where a bit arrives: kappa(d) belongs to the bit that
// arrives at dimension d. A fixed bit that is inverted is a cycle of length 1.
#pragma once

#include <optional>
#include <vector>

#include "faro/algebra/bit_map.hpp"
#include "planners/cube/nodes.hpp"
#include "planners/cube/shuffle/structure.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// Cycles that move something, by lowest dimension, which comes first; nothing if the map is no bit
// permutation.
std::optional<std::vector<shuffle::Cycle>> bit_cycles(const BitMap& map);

// floor(K/2L)(L+1) + (0, L if rem <= L, else L+1) steps, rem = K mod 2L; two bits with an even
// number of complements: ceil(K/2) + 1; one inverted bit: K.
Count rounds_cost(const shuffle::Cycle& cycle, std::uint64_t elements);
StepSource rounds_steps(const shuffle::Cycle& cycle, std::uint64_t elements);

extern const PlannerEntry cycle_rounds;

}  // namespace faro::inline v1
