#include "machines/pops/model.hpp"

#include <fmt/format.h>

#include <limits>

#include "faro/base/error.hpp"

namespace faro::inline v1::pops {

std::uint64_t processors(const Pops& machine) {
  const std::uint64_t d = machine.group_size;
  const std::uint64_t g = machine.groups;
  if (d == 0 || g == 0)
    throw Error(
        ErrorCode::usage,
        fmt::format("pops:{},{}: a POPS network has at least one group of one processor", d, g));
  if (d > std::numeric_limits<std::uint64_t>::max() / g)
    throw Error(
        ErrorCode::limit,
        fmt::format("pops:{},{}: more than 2^64 processors; d times g must stay below", d, g));
  return d * g;
}

bool has_address_bits(const Pops& machine) {
  return is_power_of_two(machine.group_size) && is_power_of_two(machine.groups);
}

int local_bits(const Pops& machine) {
  return log2_exact(machine.group_size);
}

int group_bits(const Pops& machine) {
  return log2_exact(machine.groups);
}

int address_bits(const Pops& machine) {
  return local_bits(machine) + group_bits(machine);
}

Hardware hardware(const Pops& machine) {
  const Count n = processors(machine);
  return {.couplers = Count{machine.groups} * machine.groups,
          .coupler_degree = machine.group_size,
          .transmitters = n * machine.groups,
          .receivers = n * machine.groups};
}

}  // namespace faro::inline v1::pops
