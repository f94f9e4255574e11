// What the tree asks of a kind of machine: one row a kind. A machine's folder (src/machines/NAME/)
// fills its row in kind.cpp, src/machines/table.cpp lists the rows, and nothing else chooses by the
// machine: texts, files, fingerprints, costs, verifiers and bounds look here.
//
//   kind_of(Hypercube{.dimensions = 4}).unit()          = "steps"
//   kind_of(torus).text(torus)                          = "torus:8x8"
//
// Two rows may share a description: a mesh with one route at a time and one whose links all work at
// once are written alike and judged by different verifiers.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "faro/schedules/schedule.hpp"
#include "schedules/json_parts.hpp"

namespace faro::inline v1 {

class MachineText;
class Verifier;

// A number that a cost consists of, the same in counts, claims, files and words.
struct CostPart {
  const char* key;   // of files: "unit_routes"
  const char* word;  // "unit route", one of them
  Count Cost::*count;
  std::optional<Count> CostClaim::*claim;
  bool left_out_if_zero = false;
};

namespace cost_part {
inline constexpr CostPart steps{"steps", "step", &Cost::steps, &CostClaim::steps};
inline constexpr CostPart remote_moves{"remote_moves", "remote move", &Cost::remote_moves,
                                       &CostClaim::remote_moves};
inline constexpr CostPart unit_routes{"unit_routes", "unit route", &Cost::unit_routes,
                                      &CostClaim::unit_routes};
inline constexpr CostPart long_routes{"long_routes", "long route", &Cost::long_routes,
                                      &CostClaim::long_routes};
inline constexpr CostPart register_ops{"register_ops", "register operation", &Cost::register_ops,
                                       &CostClaim::register_ops};
inline constexpr CostPart slots{"slots", "slot", &Cost::slots, &CostClaim::slots};
inline constexpr CostPart compute_rounds{"compute_rounds", "compute round", &Cost::compute_rounds,
                                         &CostClaim::compute_rounds, true};
inline constexpr CostPart all[] = {steps,        remote_moves, unit_routes,   long_routes,
                                   register_ops, slots,        compute_rounds};
}  // namespace cost_part

struct MachineKind {
  // The kind of step that its schedules consist of.
  enum class Steps { cube, program, slots };
  // A machine as users write it: `word`, ':' and what `read` reads.
  struct Word {
    std::string_view word;
    std::string_view example;
    Machine (*read)(MachineText& text);
  };
  using Absorb = std::function<void(std::uint64_t)>;

  bool (*is)(const Machine& machine);
  Count (*processors)(const Machine& machine);
  std::optional<int> (*address_bits)(const Machine& machine);

  std::span<const Word> words;  // none where another row has read them
  std::string (*text)(const Machine& machine);
  std::string_view json_name;                   // "kind" in files
  std::string (*json)(const Machine& machine);  // the members after it
  Machine (*from_json)(const json::Value& value, const json::Unknown& unknown);
  std::uint64_t tag;  // in fingerprints: never changes
  void (*absorb)(const Machine& machine, const Absorb& absorb);

  Steps steps;
  std::span<const CostPart> cost;  // the first is the one that planners lower
  bool sends_inside_cost;          // also a step in which nothing leaves its processor counts

  // By the goal; throw Error(impossible) for one that the machine does not have.
  std::unique_ptr<Verifier> (*replay)(const Goal& goal);
  std::unique_ptr<Verifier> (*proof)(const Goal& goal);
  Bound (*map_bound)(const Machine& machine, const MapGoal& goal, std::uint64_t elements);
  Bound (*list_bound)(const Machine& machine, std::span<const std::uint64_t> destinations,
                      std::uint64_t elements);

  std::string unit() const { return std::string(cost.front().word) + 's'; }
  Count value(const Cost& counted) const { return counted.*cost.front().count; }
  // Whether a planner for `machines`, as its table says them ("cube, one port"), is for this kind.
  bool is_meant_by(std::string_view machines) const;
};

std::span<const MachineKind> machine_kinds();
const MachineKind& kind_of(const Machine& machine);

// The proof of a schedule: that of its machine, or of loops, which machines share.
std::unique_ptr<Verifier> proof_of(const ScheduleHeader& header);

// POPS networks and ranks: elements lie in registers, and the header says in which they end.
bool has_registers(const Machine& machine);

}  // namespace faro::inline v1
