// The weights that prove the rates of code conversion and of cycles: data/bound_weights.json, made
// by tools/search/bound_weights.py. docs/bounds.md says what they prove and how.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "faro/schedules/schedule.hpp"
#include "machines/fraction.hpp"

namespace faro::inline v1 {

// Steps an element, and weights on a cube of `links.size()` dimensions that prove it.
struct RateWeights {
  Fraction rate;
  certificate::Dual::Phase step;
  int dimensions() const { return static_cast<int>(step.links.size()); }
};

// Gray to binary code on a field of 2 to 6 bits, one port; of more bits, those of 6.
const RateWeights& one_port_conversion(int length);
// Three bits, all ports, and a number of elements for which weights that change with the steps
// prove more than those that do not: one phase a step.
const std::vector<certificate::Dual::Phase>* conversion_in_steps(std::uint64_t elements);
// A cycle of bits, bit i to i + 1; of an odd one the bit that arrives at 0 is complemented. Nothing
// where no program was solved.
const RateWeights* cycle_weights(int length, bool odd);

// The same for the map that goes back, or for one with `t` added before and after.
certificate::Dual::Phase reversed(const certificate::Dual::Phase& phase);
certificate::Dual::Phase translated(const certificate::Dual::Phase& phase, Word t);

}  // namespace faro::inline v1
