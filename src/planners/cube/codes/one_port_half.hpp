// Code conversion with one port, half of the elements converted in the complemented half.
//
//   a:4 -> ungray(a), K = 6:   6 + 2·3 = 12 steps, where an exchange sequence takes 3·6 = 18
#pragma once

#include "planners/cube/codes/code_fields.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// K + (length-2)·ceil(K/2) steps; K for two bits.
Node one_port_half_node(const CodeField& field, std::uint64_t elements);

extern const PlannerEntry one_port_half;

}  // namespace faro::inline v1
