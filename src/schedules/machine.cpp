// The machines as a schedule file names them.
#include "faro/schedules/steps.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {

Count processors(const Machine& machine) {
  return kind_of(machine).processors(machine);
}

bool has_registers(const Machine& machine) {
  return kind_of(machine).steps == MachineKind::Steps::slots;
}

std::optional<int> address_bits(const Machine& machine) {
  return kind_of(machine).address_bits(machine);
}

}  // namespace faro::inline v1
