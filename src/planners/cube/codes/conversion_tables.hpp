// Code conversion by exact tables: data/conversion_tables.json, made by
// tools/search/conversion_tables.py, which says what its events are.
//
//   6 bits, 13 elements: 8 steps, the bound, where the ring of services takes 10
//
// A field of n bits: its B = 3..5 highest are routed freely, the others served as in
// services_ring.hpp. Three steps of a table that has a lap are done again for every five elements
// more. A table for some elements serves fewer too, the surplus left out.
#pragma once

#include <optional>

#include "planners/cube/codes/three_fifths_program.hpp"

namespace faro::inline v1::three_fifths {

// The steps of the best table. Nothing where no table holds so many elements.
std::optional<Count> table_cost(int length, std::uint64_t elements);
// Where table_cost() says something.
Program table_program(int length, std::uint64_t elements);

}  // namespace faro::inline v1::three_fifths
