// What no planner has to refuse itself: another machine, and who moves data requests that compute
// and cubes of several ports.
#include "planners/entry.hpp"

#include "machines/cube/ports.hpp"
#include "schedules/machine_kind.hpp"

namespace faro::inline v1 {

std::optional<std::string> PlannerEntry::refusal(const Request& request) const {
  if (!kind_of(request.machine()).is_meant_by(about_.machine)) return "it is for another machine";
  if (parts_.computes) return parts_.refusal(request);
  if (!request.moves()) return "it moves data; this request computes or copies";
  if (const auto* cube = std::get_if<Hypercube>(&request.machine());
      cube != nullptr && several_ports(*cube) && !parts_.several_ports)
    return "it plans cubes for all ports, or for one";
  return parts_.refusal(request);
}

Offer PlannerEntry::offer(const Request& request) const {
  if (parts_.offer != nullptr) return parts_.offer(request);
  return {.estimate = parts_.estimate(request),
          .push = [build = parts_.build, request](ScheduleSink& sink) { build(request, sink); }};
}

}  // namespace faro::inline v1
