// The first condition that a request fails.
#include "planners/cube/shuffle/entries.hpp"

namespace faro::inline v1::shuffle {

std::optional<std::string> first_refusal(const Request& request, Hypercube::Ports ports,
                                         std::initializer_list<const Condition*> conditions) {
  if (auto reason = refusal(request)) return reason;
  if (std::get<Hypercube>(request.machine()).ports != ports)
    return ports == all_ports ? "it uses all ports" : "it is for one port";
  const Structure s = structure_of(request);
  for (const Condition* condition : conditions)
    if (!condition->holds(s)) return condition->otherwise;
  return std::nullopt;
}

}  // namespace faro::inline v1::shuffle
