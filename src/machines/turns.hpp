// Verdicts on schedules in turns: one turn is judged, all are claimed.
#pragma once

#include <functional>
#include <memory>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// A verifier of schedules in turns by one of a turn's schedule. `spelled_out`: every element is
// sent through its turn too, where there are not too many.
std::unique_ptr<Verifier> in_turns(
    std::function<std::unique_ptr<Verifier>(const ScheduleHeader&)> make, bool spelled_out);

}  // namespace faro::inline v1
