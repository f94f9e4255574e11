// What becomes of a bound that no certificate proves: where few elements move, a plan that takes
// fewer disproves it.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "faro/schedules/schedule.hpp"
#include "faro/service/plan.hpp"

namespace faro::inline v1 {

// Whether it is tried: up to limits::claimed_bound_elements_max elements, of a goal that a plan can
// be asked for.
bool claim_is_tried(const ScheduleHeader& header);

// What plans of goals take, each planned once: many schedules of one goal ask for one plan.
class ClaimedBounds {
 public:
  // A plan that both verifiers call right and that takes fewer than the header's bound, in words;
  // nothing if none was found, which proves nothing.
  std::optional<std::string> disproof(const ScheduleHeader& header);

 private:
  struct Planned {
    ScheduleHeader of;  // machine, goal and elements of it
    std::optional<Count> value;
    std::string planner;
  };
  const Planned& planned(const ScheduleHeader& header);

  std::deque<Planned> planned_;  // the latest first
};

// verify_schedule() of many schedules.
VerifyReport verify_schedule(ByteSource& source, const VerifyOptions& options,
                             ClaimedBounds& claims);

}  // namespace faro::inline v1
