// What a verifier says of a whole schedule.
#pragma once

#include <memory>
#include <string>

#include "faro/machines/verifier.hpp"
#include "faro/schedules/schedule.hpp"

namespace faro::testing {

inline Verdict verdict_of(std::unique_ptr<Verifier> verifier, const RecordingSink& schedule) {
  schedule.replay_into(*verifier);
  return verifier->verdict();
}

inline std::string words_of(const Verdict& verdict) {
  std::string text = verdict.by + ": " + verdict.limit;
  for (const Violation& v : verdict.violations)
    text += "; step " + to_string(v.step) + ": " + v.rule + ": " + v.message;
  return text;
}

}  // namespace faro::testing
