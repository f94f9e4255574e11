// The machines as a schedule file names them.
#include "faro/schedules/steps.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {

Count processors(const Machine& machine) {
  return kind_of(machine).processors(machine);
}

std::optional<int> address_bits(const Machine& machine) {
  return kind_of(machine).address_bits(machine);
}

}  // namespace faro::inline v1
