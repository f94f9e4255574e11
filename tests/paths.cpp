#include "paths.hpp"

namespace faro::testing {

std::string source_path(const std::string& relative) {
  return FARO_SOURCE_DIR "/" + relative;
}
std::string build_path(const std::string& relative) {
  return FARO_BINARY_DIR "/" + relative;
}

}  // namespace faro::testing
