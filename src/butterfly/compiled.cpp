#include "faro/butterfly/compiled.hpp"

namespace faro {

void CompiledStep::clear() {
  step.clear();
  rule_indices.clear();
  indices.clear();
}

}  // namespace faro
