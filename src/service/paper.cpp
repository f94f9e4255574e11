#include "faro/service/paper.hpp"

#include <vector>

namespace faro {

std::span<const Paper* const> papers() {
  // A page is one line here.
  static const std::vector<const Paper*> table = {};
  return table;
}

}  // namespace faro
