// What the linear programs of code conversion prove: data/bound_weights.json, whose weights
// tools/search/bound_weights.py finds and recomputes in exact arithmetic.
#pragma once

#include <cstdint>
#include <optional>

#include "faro/base/count.hpp"
#include "machines/fraction.hpp"

namespace faro::inline v1 {

// Steps an element, one port, for a field of 2 to 6 bits; of more bits, what those of 6 take:
// collapse the low bits.
Fraction one_port_conversion_rate(int length);

// Three bits and more, all ports: the steps that this many elements take by weights that change
// from step to step; nothing where those prove no more than the formulas.
std::optional<Count> conversion_steps(std::uint64_t elements);

}  // namespace faro::inline v1
