#include "planners/entry.hpp"

namespace faro::inline v1 {

std::optional<std::string> PlannerEntry::refusal(const Request& request) const {
  if (!request.moves()) return "it moves data; this request computes or copies";
  return parts_.refusal(request);
}

Offer PlannerEntry::offer(const Request& request) const {
  if (parts_.offer != nullptr) return parts_.offer(request);
  return {.estimate = parts_.estimate(request),
          .push = [build = parts_.build, request](ScheduleSink& sink) { build(request, sink); }};
}

}  // namespace faro::inline v1
