// `faro explain` of maps of axes of any length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "faro/algebra/tensor_notation.hpp"

namespace faro::cli {

// The map that `text` says, if some axis has a length that is no bits; nothing where it is a map of
// bits, or is better read (and refused) as one.
std::optional<TensorNotation> map_of_lengths(const std::string& text,
                                             const std::vector<std::uint64_t>& shape);

void explain_lengths(const std::string& text, const TensorNotation& notation, Output& out);

}  // namespace faro::cli
