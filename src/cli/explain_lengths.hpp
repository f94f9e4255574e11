// `faro explain` of maps of axes of any length.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "faro/words/say.hpp"

namespace faro::cli {

void explain_lengths(const std::string& text, const Said& said, Output& out);

}  // namespace faro::cli
