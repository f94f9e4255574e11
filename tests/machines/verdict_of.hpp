// What a verifier says of a whole schedule, and right schedules broken so that one rule says so.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

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

inline std::set<std::string> rules_of(const Verdict& verdict) {
  std::set<std::string> rules;
  for (const Violation& v : verdict.violations) rules.insert(v.rule);
  return rules;
}

using Change = std::function<void(RecordingSink&)>;
struct Hostile {
  const char* rule;
  Change change;
};

using Verifiers = std::vector<std::unique_ptr<Verifier> (*)()>;

// The rule alone refuses what was changed, for each of the verifiers.
inline void expect_refused(const RecordingSink& right, const std::vector<Hostile>& changes,
                           const Verifiers& verifiers = {make_replay, make_proof}) {
  for (std::size_t i = 0; i < changes.size(); ++i) {
    RecordingSink broken = right;
    changes[i].change(broken);
    for (const auto make : verifiers) {
      const Verdict verdict = verdict_of(make(), broken);
      EXPECT_EQ(verdict.answer, Verdict::Answer::no) << "case " << i << ", " << words_of(verdict);
      EXPECT_EQ(rules_of(verdict), std::set<std::string>{changes[i].rule})
          << "case " << i << ", " << words_of(verdict);
    }
  }
}

}  // namespace faro::testing
