// The parts of a plan: who is asked and in which order (a planner by name alone; else all that have
// a formula, then those that search, as long as they can still win), packets, and the verdicts of
// one that was shown before it was verified.
#pragma once

#include <optional>
#include <vector>

#include "faro/service/plan.hpp"
#include "planners/part.hpp"

namespace faro::inline v1 {

struct Asked {
  std::vector<Considered> considered;  // of the request's machine, in the order of the catalogue
  const Planner* chosen = nullptr;
  Offer offer;
};

// Throws Error: usage for a name that nobody has, impossible if nobody applies.
Asked ask(const Request& request, const Bound& bound, const PlanOptions& options);

// All that may answer, those that search too, each with its offer; only the one that is named, if
// one is.
std::vector<Answer> answers(const Request& request, const PlanOptions& options);

// The request that moves packets of so many elements. With memory bits in the map only powers of
// two that leave the bits which tell elements apart; throws Error(impossible) for others.
Request packed_request(const Request& request, std::uint64_t packet);

// The best size, or the one that the prices name, and what it costs. Requires options.packets.
PacketReport packet_report(const Request& request, const PlanOptions& options);

// The same plan with its verdicts, as plan() makes it without `verify`; nothing is searched again.
MachinePlan judged(const MachinePlan& plan);

}  // namespace faro::inline v1
