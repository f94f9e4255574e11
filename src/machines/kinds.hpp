// The rows of the table of machines, one from each machine's folder; table.cpp lists them.
#pragma once

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

}  // namespace faro::inline v1
