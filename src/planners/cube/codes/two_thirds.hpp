// Code conversion of one field on paths that may be longer than needed: about 2K/3 steps.
//
//   short elements cross dimensions 0..n-2 ascending where they must; long ones cross the top
//   dimension first, convert in the other half, and cross back. An edge is used by short elements
//   exactly where the one opposite is not, so the two kinds never meet.
#pragma once

#include "planners/cube/codes/code_fields.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// Steps of the best split into short and long elements, field of `length` >= 2 bits:
//   K = 1: n-1;  2 <= K <= 2n+2: n-1 + ceil(K/2);  from K = 2n on: ceil((2K-(n-2))/3) + n-2
Count non_minimum_path_cost(int length, std::uint64_t elements);
// As printed in Theorem 8, wrong for some K in n+2..2n-1 and for all K <= n+2 but those below 3.
Count non_minimum_path_printed(int length, std::uint64_t elements);
// The number of short elements, the largest among the best.
std::uint64_t short_elements(int length, std::uint64_t elements);
Node non_minimum_path_node(const CodeField& field, std::uint64_t elements);

// Two bits: K for K <= 2, else ceil(K/2) + 1, which is optimal.
Node two_bits_node(const CodeField& field, std::uint64_t elements);

extern const PlannerEntry non_minimum_path;
extern const PlannerEntry two_bits;

}  // namespace faro::inline v1
