// What a verifier says of a whole schedule.
#pragma once

#include <memory>

#include "faro/machines/verifier.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::testing {

inline Verdict verdict_of(std::unique_ptr<Verifier> verifier, const RecordingSink& schedule) {
  schedule.replay_into(*verifier);
  return verifier->verdict();
}

}  // namespace faro::testing
