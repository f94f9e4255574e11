// The rows of the table of machines, one from each machine's folder; table.cpp lists them.
#pragma once

#include "machines/bounds.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {

MachineKind cube_kind();
MachineKind mesh_kind();   // one route at a time
MachineKind links_kind();  // a mesh whose links all work at once
MachineKind pops_kind();
MachineKind ranks_kind();
MachineKind tree_kind();  // ranks behind switches with few links upward

// Throws Error(impossible) for a goal that asks for more than that data move.
void only_moves(const Goal& goal);

// A row's verifier of such goals alone.
template <auto verifier>
std::unique_ptr<Verifier> moving(const Goal& goal) {
  only_moves(goal);
  return verifier();
}

// A row's bounds, where a description of its own says the machine.
template <class Description>
Bound map_bound_of(const Machine& machine, const MapGoal& goal, std::uint64_t elements) {
  return lower_bound(std::get<Description>(machine), goal, elements);
}
template <class Description>
Bound list_bound_of(const Machine& machine, std::span<const std::uint64_t> destinations,
                    std::uint64_t elements) {
  return lower_bound(std::get<Description>(machine), destinations, elements);
}

}  // namespace faro::inline v1
