// Code conversion of several fields at once.
//
//   phases     the elements in d parts; in phase p, part j converts field (j+p) mod d by the
//              cheapest algorithm for one field: all fields are busy all the time
//   pipeline   every element through all fields in turn, five elements in three steps each
#pragma once

#include <span>
#include <vector>

#include "planners/cube/codes/code_fields.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// At most the sum of the fields' latencies + 3·floor((K-1)/5).
Count fields_pipeline_cost(std::span<const CodeField> fields, std::uint64_t elements);
StepSource fields_pipeline_steps(std::span<const CodeField> fields, std::uint64_t elements);

extern const PlannerEntry fields_by_phases;
extern const PlannerEntry fields_pipeline;

}  // namespace faro::inline v1
