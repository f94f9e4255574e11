#include "faro/schedules/cost.hpp"

namespace faro::inline v1 {

void CompiledStep::clear() {
  step.clear();
  rule_indices.clear();
  indices.clear();
}

}  // namespace faro::inline v1
