// Programs of the three-fifths kind (three_fifths_program.hpp) as rules.
//
// A token (source, e) stands for element e of all processors whose field had the two top bits
// `source`; it always fills one node, the processors with two given top bits now. Inside a node it
// is exchanged in place; hops 1 and 2 take it to another node, there to its own slot if that is
// free, else to the lowest free one, else to a new one. Programs that route more top bits freely
// have more node bits.
#pragma once

#include <optional>
#include <string>

#include "planners/cube/codes/code_fields.hpp"
#include "planners/cube/codes/three_fifths_program.hpp"

namespace faro::inline v1 {

StepSource three_fifths_steps(const three_fifths::Program& program, const CodeField& field,
                              std::uint64_t elements);
// Nothing where the program is small enough to keep, else why not.
std::optional<std::string> three_fifths_refusal(const CodeField& field, std::uint64_t elements);

}  // namespace faro::inline v1
