// Where the sources and the build tree are, for tests that read data or run the program.
#pragma once

#include <string>

namespace faro::testing {

std::string source_path(const std::string& relative);
std::string build_path(const std::string& relative);

}  // namespace faro::testing
