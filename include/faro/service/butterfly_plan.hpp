// Planning a butterfly network: as service/plan.hpp does for maps. The cheapest planner that
// applies builds the schedule once for the verifiers and the counters and, if nothing is refused,
// once more for the caller's sink, with cost and bound in the header.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faro/machines/verifier.hpp"
#include "faro/planners/cube/butterfly/planner.hpp"
#include "faro/service/plan.hpp"

namespace faro::inline v1 {

// What makes both outputs of the paper reachable from the program's words: "natural" restores the
// dimensions in the code of the input.
enum class ButterflyOutput { binary, gray, natural };

struct ButterflyPlanOptions {
  std::string algorithm = {};  // a planner's name; empty: the cheapest
  VerifyBy verify = VerifyBy::automatic;
  ScheduleSink* sink = nullptr;
};

struct ButterflyConsidered {
  const ButterflyPlanner* planner = nullptr;
  std::optional<std::string> refusal = {};
  std::optional<Estimate> estimate = {};
};

struct ButterflyPlanReport {
  ButterflyNetwork request;
  const ButterflyPlanner* planner = nullptr;
  Estimate estimate;
  Cost cost;  // counted from the schedule
  Bound bound;
  ButterflyGoal goal;  // with the final rows
  std::uint64_t slots_used = 0;
  std::vector<Count> crossings;
  std::vector<Verdict> verdicts;
  std::vector<ButterflyConsidered> considered;

  Count gap() const { return cost.steps > bound.value ? cost.steps - bound.value : 0; }
  bool ok() const;
};

// The cube of a machine that butterfly networks run on: all ports. Throws Error(usage) for others.
const Hypercube& butterfly_cube(const Machine& machine);

// The planner of this name; throws Error(usage), naming those that there are.
const ButterflyPlanner& butterfly_planner(std::string_view name);

// A request with the output in the words of the program. With one element a processor and the least
// significant bit first no plan changes the code in n steps, so nothing is promised there.
void set_output(ButterflyNetwork& request, ButterflyOutput output);

Bound bound_of(const ButterflyNetwork& request);

ButterflyPlanReport plan_butterfly(const ButterflyNetwork& request,
                                   const ButterflyPlanOptions& options = {});

}  // namespace faro::inline v1
