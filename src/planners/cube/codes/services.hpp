// Code conversion of one field near its bound: services whose diagonals close to a ring
// (services_ring.hpp), and exact tables of such plans (conversion_tables.hpp).
//
//   a:60 -> ungray(a), 240 elements: 150 steps where 3K/5 + n - 2 are 202; the bound is 145
#pragma once

#include "planners/cube/codes/code_fields.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// By a table, or of more bits by the ring, where that is found at once; nothing where it is not.
std::optional<Node> services_node(const CodeField& field, std::uint64_t elements);

extern const PlannerEntry services_ring;
extern const PlannerEntry conversion_table;

}  // namespace faro::inline v1
