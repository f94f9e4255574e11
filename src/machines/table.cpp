// The one table of machines.
#include <array>

#include "base/check.hpp"
#include "faro/base/error.hpp"
#include "machines/bounds.hpp"
#include "machines/kinds.hpp"
#include "machines/loop_proof.hpp"

namespace faro::inline v1 {

std::span<const MachineKind> machine_kinds() {
  static const std::array kinds = {cube_kind(), mesh_kind(),  links_kind(),
                                   pops_kind(), ranks_kind(), tree_kind()};
  return kinds;
}

const MachineKind& kind_of(const Machine& machine) {
  for (const MachineKind& kind : machine_kinds())
    if (kind.is(machine)) return kind;
  FARO_CHECK(false);
  return machine_kinds().front();
}

std::unique_ptr<Verifier> proof_of(const ScheduleHeader& header) {
  if (has_loop_proof(header)) return loop_proof();
  return kind_of(header.machine).proof(header.goal);
}

Bound lower_bound(const Machine& machine, const MapGoal& goal, std::uint64_t elements) {
  return kind_of(machine).map_bound(machine, goal, elements);
}

Bound lower_bound(const Machine& machine, std::span<const std::uint64_t> destinations,
                  std::uint64_t elements) {
  return kind_of(machine).list_bound(machine, destinations, elements);
}

bool MachineKind::is_meant_by(std::string_view machines) const {
  for (const Word& w : words)
    if (machines.starts_with(w.word)) return true;
  return false;
}

void only_moves(const Goal& goal) {
  if (std::holds_alternative<ButterflyGoal>(goal))
    throw Error(ErrorCode::impossible, "butterfly networks are verified on hypercubes only");
  if (std::holds_alternative<MatmulGoal>(goal) || std::holds_alternative<BroadcastGoal>(goal))
    throw Error(ErrorCode::impossible,
                "broadcasts are verified on cubes and POPS networks, matrix products on POPS "
                "networks only");
}

}  // namespace faro::inline v1
