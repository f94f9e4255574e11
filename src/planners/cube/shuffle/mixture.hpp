// Mixtures of chains and real cycles, all ports: list scheduling with a fixed set of rules. [faro]
//
// Time runs step by step. Exchange tasks (chains; A1 on cycles without lanes) need both elements of
// a job, lanes and A2 one. Machines, one a dimension, take jobs by an augmenting matching, most
// remaining work first; lanes are filled as long as what enters still ends in time; whichever
// family is more critical goes first. The rule has variants; they are tried in a fixed order until
// one meets the bound, and the shortest is taken. Seeds and limits are constants: same structure,
// same schedule.
//
//   applies:  K >= 2
//   bound:    met by all of the 1 698 permutations of q <= 4 address bits (with balanced-maps)
#pragma once

#include <optional>

#include "planners/cube/shuffle/phase.hpp"

namespace faro::inline v1::shuffle {

struct Mixture {
  Phase phase;
  Count steps = 0;
};

// Whether the search ends in about a second: elements times dimensions are bounded.
bool mixture_fits(const Structure& s);
// Requires K >= 2 and that it fits.
Mixture mixture(const Structure& s, Count bound);

}  // namespace faro::inline v1::shuffle
