// Names on the command line as they are shown: one that has lines or what a terminal would obey
// keeps to its line, wherever it is shown from now on.
#pragma once

#include <string>
#include <vector>

namespace faro::cli {

void show_plainly(const std::vector<std::string>& words);

}  // namespace faro::cli
