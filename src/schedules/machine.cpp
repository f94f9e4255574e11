#include "faro/schedules/machine.hpp"

#include <numeric>

namespace faro {

Count processors(const Machine& machine) {
  if (const auto* pops = std::get_if<Pops>(&machine))
    return multiply_checked(pops->group_size, pops->groups);
  return Count{1} << *address_bits(machine);
}

std::optional<int> address_bits(const Machine& machine) {
  if (const auto* cube = std::get_if<Hypercube>(&machine)) return cube->dimensions;
  if (const auto* mesh = std::get_if<Mesh>(&machine))
    return std::accumulate(mesh->sides_log2.begin(), mesh->sides_log2.end(), 0);
  const auto& pops = std::get<Pops>(machine);
  if (!is_power_of_two(pops.group_size) || !is_power_of_two(pops.groups)) return {};
  return log2_exact(pops.group_size) + log2_exact(pops.groups);
}

}  // namespace faro
