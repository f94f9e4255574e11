// Goal and machine decide which arithmetic proves a bound; what cannot be counted stays a claim,
// and what proves less refutes it.
#include "machines/certificates/check.hpp"

#include <fmt/format.h>

#include "faro/base/error.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1::certificates {
namespace {

using Answer = Verdict::BoundAnswer;

Proved proved_of(const ScheduleHeader& header, const std::optional<Demand>& demand,
                 const Bound& bound) {
  const Machine& machine = header.machine;
  if (const auto* network = std::get_if<ButterflyGoal>(&header.goal)) {
    const auto* cube = std::get_if<Hypercube>(&machine);
    return cube == nullptr ? other_machine() : network_proves(*cube, *network, bound);
  }
  if (const auto* broadcast = std::get_if<BroadcastGoal>(&header.goal)) {
    if (const auto* cube = std::get_if<Hypercube>(&machine))
      return broadcast_proves(*cube, *broadcast, header.elements, bound);
    const auto* pops = std::get_if<Pops>(&machine);
    return pops == nullptr ? other_machine() : broadcast_proves(*pops, *broadcast, bound);
  }
  if (const auto* product = std::get_if<MatmulGoal>(&header.goal)) {
    const auto* pops = std::get_if<Pops>(&machine);
    return pops == nullptr ? other_machine() : product_proves(*pops, *product, bound);
  }
  if (!demand) throw Unchecked{"the goal is none that is counted"};
  if (const auto* cube = std::get_if<Hypercube>(&machine))
    return cube_proves(*cube, *demand, bound);
  if (const auto* mesh = std::get_if<Mesh>(&machine))
    return mesh->links == Mesh::Links::all ? links_proves(*mesh, *demand, bound)
                                           : routes_proves(*mesh, *demand, bound);
  if (const auto* pops = std::get_if<Pops>(&machine)) return pops_proves(*pops, *demand, bound);
  if (const auto* ranks = std::get_if<Crossbar>(&machine))
    return ranks_proves(*ranks, *demand, bound);
  throw Unchecked{"the machine is none whose certificates are known"};
}

}  // namespace

BoundCheck check_bound(const ScheduleHeader& header) {
  if (!header.bound) return {};
  const Bound& bound = *header.bound;
  // That no schedule takes fewer than nothing needs no proof.
  if (bound.value == 0) return {.answer = Answer::checked, .why = {}, .refuted = {}};
  const std::optional<Demand> demand = Demand::of(header);
  // Where a change of registers takes a slot too, only a map of processors says that nothing moves.
  const bool counts_inside = kind_of(header.machine).sends_inside_cost;
  if (demand && demand->moving() == 0 && !(counts_inside && demand->names_places()))
    return {.answer = Answer::claimed,
            .why = {},
            .refuted = fmt::format("the header claims that {} {} are needed; nothing moves",
                                   to_string(bound.value), kind_of(header.machine).unit())};
  if (std::holds_alternative<std::monostate>(bound.certificate))
    return {.answer = Answer::claimed, .why = "it has no certificate", .refuted = {}};
  try {
    const Proved proved = proved_of(header, demand, bound);
    if (proved.value >= bound.value)
      return {.answer = Answer::checked, .why = proved.of, .refuted = {}};
    return {.answer = Answer::claimed,
            .why = {},
            .refuted = proved.fault.empty()
                           ? fmt::format("the certificate proves {} only, the bound claims {}",
                                         to_string(proved.value), to_string(bound.value))
                           : proved.fault};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::limit) throw;
    return {.answer = Answer::claimed, .why = error.what(), .refuted = {}};
  } catch (const Unchecked& unchecked) {
    return {.answer = Answer::claimed, .why = unchecked.why, .refuted = {}};
  }
}

}  // namespace faro::inline v1::certificates
