// The simulated machine at work on an array: a plan, or a schedule that somebody wrote, verified
// and then performed move by move.
//
//   array of N·K elements, processor p holds elements p·K .. p·K + K - 1
//     map "p -> rev(p)" on cube:4          element p·K + s ends at rev(p)·K + s
//     map "p:4 | m:2 -> ..."               element a ends at map(a)
//
// which is what permuting the array in memory gives, by the axis of processors or as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faro/service/plan.hpp"

namespace faro::inline v1 {

struct Simulation {
  Machine machine;
  std::uint64_t elements = 1;  // K
  std::string planner;         // as the schedule says; may be empty in a file
  std::string map_text;        // canonical notation, empty where moves are listed
  Cost cost;                   // counted from the steps, for all elements
  std::vector<std::string> verified_by;
  std::vector<std::byte> result;
};

// Throws Error: refused if a verifier says no; usage if the data is not N·K elements; what plan()
// throws.
Simulation simulate_plan(const Request& request, const PlanOptions& options,
                         std::span<const std::byte> data, std::size_t element_bytes);

// The text of a schedule file. `map` is the goal to hold it to, in place of its own. Throws
// Error(refused) with the first violation, Error(usage) for a schedule that computes rather than
// moves, Error(cancelled) where `progress`, called with 0 of 0, asks to stop.
Simulation simulate_schedule(std::string_view schedule, const std::optional<std::string>& map,
                             std::span<const std::byte> data, std::size_t element_bytes,
                             const Progress& progress = {});

}  // namespace faro::inline v1
