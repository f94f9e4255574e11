// Who is asked for a plan, and in which order: a planner by name alone; else all that have a
// formula, then those that search, as long as they can still win.
#pragma once

#include <optional>
#include <vector>

#include "faro/service/plan.hpp"

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
struct Answer {
  const Planner* planner = nullptr;
  Offer offer;
};
std::vector<Answer> answers(const Request& request, const PlanOptions& options);

}  // namespace faro::inline v1
