// Code conversion of one field of three bits or more in about 3K/5 steps: the best rate there is.
#pragma once

#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/codes/three_fifths_program.hpp"
#include "planners/entry.hpp"

namespace faro::inline v1 {

// A program as rules. Every element of a source fills one node, the processors with two given top
// bits, at any time. Inside a node it is exchanged in place; a hop between nodes takes it to its
// own slot if that is free there, else to the lowest free one, else to a new one.
StepSource three_fifths_steps(const three_fifths::Program& program, const CodeField& field,
                              std::uint64_t elements);

Node closed_form_node(const CodeField& field, std::uint64_t elements);
// Nothing where the program is small enough to keep, else why not.
std::optional<std::string> three_fifths_refusal(const CodeField& field, std::uint64_t elements);

extern const PlannerEntry three_fifths_closed_form;

}  // namespace faro::inline v1
