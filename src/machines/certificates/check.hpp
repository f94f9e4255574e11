// Whether a bound is proved by its certificate, from the goal and the machine alone. Nothing here
// has seen how planners find bounds, nor the arithmetic that they find them by.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "faro/machines/verifier.hpp"
#include "machines/certificates/demand.hpp"

namespace faro::inline v1::certificates {

// Why a certificate is not checked here, of a goal or a machine beyond the limits.
struct Unchecked {
  std::string why;
};

// What a certificate proves; the two differ in that the second cannot be told.
struct Proved {
  Count value = 0;         // no schedule takes fewer
  std::string fault = {};  // why it is no certificate at all: then value is 0
  std::string of = {};     // the schedules that it speaks of, where not of all
};

struct BoundCheck {
  Verdict::BoundAnswer answer = Verdict::BoundAnswer::none;
  std::string why;                     // of `claimed`: why it is not checked; of `checked`: the
                                       // schedules that it speaks of, where not of all
  std::optional<std::string> refuted;  // the bound is false, or its certificate proves less
};
BoundCheck check_bound(const ScheduleHeader& header);

// The arguments by machine. A certificate of a kind that the machine does not have is a fault.
Proved cube_proves(const Hypercube& cube, const Demand& demand, const Bound& bound);
Proved links_proves(const Mesh& mesh, const Demand& demand, const Bound& bound);
Proved routes_proves(const Mesh& mesh, const Demand& demand, const Bound& bound);
Proved pops_proves(const Pops& pops, const Demand& demand, const Bound& bound);
Proved ranks_proves(const Crossbar& ranks, const Demand& demand, const Bound& bound);
Proved network_proves(const Hypercube& cube, const ButterflyGoal& goal, const Bound& bound);
Proved product_proves(const Pops& pops, const MatmulGoal& goal, const Bound& bound);
Proved broadcast_proves(const Pops& pops, const BroadcastGoal& goal, const Bound& bound);
// Each of so many elements of a processor is broadcast.
Proved broadcast_proves(const Hypercube& cube, const BroadcastGoal& goal, std::uint64_t elements,
                        const Bound& bound);

template <class... Args>
Proved fault(fmt::format_string<Args...> why, Args&&... args) {
  return {0, fmt::format(why, std::forward<Args>(args)...)};
}
inline Proved no_goal(const certificate::Distance& c) {
  return fault("the certificate's element, slot {} of processor {}, has no goal", c.slot,
               c.processor);
}
inline Proved other_machine() {
  return fault("a certificate of this kind says nothing on this machine");
}

}  // namespace faro::inline v1::certificates
