// The first condition that a request fails, and the counts of the paper's Table 3.
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

PaperCount table_3_a1(const Structure& s) {
  const auto length = static_cast<Count>(s.cycles[0].length());
  return {"Johnsson, Ho 1991 (shuffles), Table 3 (A1)",
          {(length + 1) * ceil_div(s.elements(), 2 * length), "(s + 1) ceil(K/2s)"}};
}

PaperCount table_3_a2(const Structure& s) {
  const auto length = static_cast<Count>(s.cycles[0].length());
  return {"Johnsson, Ho 1991 (shuffles), Table 3 (A2)",
          {length * ceil_div(s.elements(), length), "s ceil(K/s)"}};
}

}  // namespace faro::inline v1::shuffle
