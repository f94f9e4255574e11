// The partitioned optical passive star's row of the table of machines.
#include <fmt/format.h>

#include "faro/base/limits.hpp"
#include "machines/kinds.hpp"
#include "machines/pops/bounds.hpp"
#include "machines/pops/model.hpp"
#include "machines/pops/verifiers.hpp"
#include "machines/text_reader.hpp"
#include "schedules/json_numbers.hpp"

namespace faro::inline v1 {
namespace {

const Pops& pops_of(const Machine& machine) {
  return std::get<Pops>(machine);
}

bool too_large(const Pops& pops) {
  return Count{pops.group_size} * pops.groups > Count{1} << limits::machine_bits_max;
}

Machine read(MachineText& text) {
  Pops pops;
  pops.group_size = text.size();
  if (!text.take(",")) text.fail("',' and the number of groups");
  pops.groups = text.size();
  if (pops.group_size == 0 || pops.groups == 0) text.fail("at least one processor");
  if (too_large(pops)) text.too_large();
  if (text.take(",multi-receive")) pops.multi_receive = true;
  if (!text.done()) text.fail("',multi-receive' or the end");
  return pops;
}

Machine from_json(const json::Value& value, const json::Unknown& unknown) {
  json::only(value, {"kind", "d", "g", "multi_receive"}, "machine", unknown);
  Pops pops;
  pops.group_size = json::required(value, "d", "machine").number("machine.d", "machine");
  pops.groups = json::required(value, "g", "machine").number("machine.g", "machine");
  if (pops.group_size == 0 || pops.groups == 0 || too_large(pops))
    throw json::Breach{"machine", fmt::format("machine: d and g at least 1, together at most 2^{}",
                                              limits::machine_bits_max)};
  if (const auto multi = value.member("multi_receive"))
    pops.multi_receive = json::boolean_from(*multi, "machine.multi_receive");
  return pops;
}

std::optional<int> bits_of(const Machine& machine) {
  if (!pops::has_address_bits(pops_of(machine))) return {};
  return pops::address_bits(pops_of(machine));
}

constexpr MachineKind::Word words[] = {{"pops", "pops:8,4", read}};
constexpr CostPart cost[] = {cost_part::slots, cost_part::compute_rounds};

template <auto verifier>
std::unique_ptr<Verifier> without_butterflies(const Goal& goal) {
  if (std::holds_alternative<ButterflyGoal>(goal)) only_moves(goal);
  return verifier();
}

}  // namespace

MachineKind pops_kind() {
  return {
      .is = [](const Machine& m) { return std::holds_alternative<Pops>(m); },
      .processors =
          [](const Machine& m) { return Count{pops_of(m).group_size} * pops_of(m).groups; },
      .address_bits = bits_of,
      .words = words,
      .text =
          [](const Machine& m) {
            return fmt::format("pops:{},{}{}", size_text(pops_of(m).group_size),
                               size_text(pops_of(m).groups),
                               pops_of(m).multi_receive ? ",multi-receive" : "");
          },
      .json_name = "pops",
      .json =
          [](const Machine& m) {
            return fmt::format(",\"d\":{},\"g\":{}{}", json_number(pops_of(m).group_size),
                               json_number(pops_of(m).groups),
                               pops_of(m).multi_receive ? ",\"multi_receive\":true" : "");
          },
      .from_json = from_json,
      .tag = 2,
      .absorb =
          [](const Machine& m, const MachineKind::Absorb& absorb) {
            absorb(pops_of(m).group_size);
            absorb(pops_of(m).groups);
            absorb(pops_of(m).multi_receive ? 1 : 0);
          },
      .steps = MachineKind::Steps::slots,
      .cost = cost,
      .sends_inside_cost = true,
      .replay = without_butterflies<pops_replay>,
      .proof = without_butterflies<pops_proof>,
      .map_bound = map_bound_of<Pops>,
      .list_bound = list_bound_of<Pops>,
  };
}

}  // namespace faro::inline v1
