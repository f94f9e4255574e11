// The verifiers of mesh machines. make_replay() and make_proof() choose among them; tests use them
// directly.
//
// SIMD machine. One word per processor and register; with K elements a program is performed once
// for each. Costs and bounds are those of one performance. Rules, by the names that verdicts use:
//
//   machine          K >= 1, 1 to 3 registers
//   goal             a map on processors (memory bits stay), or moves that name no place twice
//   dimension-range  a route along a dimension that the mesh has
//   distance-range   0 < |by| < side
//   mask-range       a mask has no bit beyond the address, no value where it does not care
//   condition-range  an "if" mask within the address, parity 0 or 1
//   same-register    copies and swaps join two different registers
//   registers        the program names no more registers than the header allows
//   not-delivered    every element ends in Rs where the goal says
//   cost-claim       the cost claimed, where one is, is the cost counted
//   bound-claim      a claimed lower bound is not above the cost of what is delivered
//
// Reading a register that holds nothing defined is legal, delivering it is not.
//
// All links at once: the rules of the cube between mesh neighbours, from listed moves only. The
// judges are cube_replay (machines/cube/verifiers.hpp) and list_proof (machines/list_proof.hpp):
//
//   machine, goal, not-delivered, cost-claim, bound-claim as above; slots >= K
//   rules            a rule of a cube stands in a step
//   proc-range, slot-range    a number that the machine does not have
//   not-a-link       a remote move joins processors that are no neighbours
//   link-twice       a directed link carries two elements in one step
//   reads-empty      a move reads a slot that nothing wrote
//   two-writes       two moves of a step write one slot
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

std::unique_ptr<Verifier> mesh_replay();
std::unique_ptr<Verifier> mesh_proof();

}  // namespace faro::inline v1
