// What every judge keeps and says: where it is in the schedule, and what it found wrong there.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "machines/claims.hpp"

namespace faro::inline v1 {

// Who is told of a breach.
using Breached = std::function<void(const char* rule, std::string message, Violation::Place at)>;

// Right until something is wrong.
class Judge : public Verifier {
 public:
  Verdict verdict() const override { return verdict_; }

 protected:
  explicit Judge(const char* by) {
    verdict_.by = by;
    verdict_.answer = Verdict::Answer::yes;
  }
  bool clean() const { return verdict_.violation_count == 0; }
  void breach(const char* rule, std::string message, Violation::Place at = {}) {
    if (*list_ != '\0') at.list = list_, at.entry = entry_;
    verdict_.add({step_, rule, std::move(message), std::move(at)});
  }
  // Each entry of a step's list, of which is told that something is wrong with it.
  template <class Entries, class Look>
  void each_of(const char* list, const Entries& entries, Look&& look) {
    list_ = list;
    for (entry_ = 0; entry_ < entries.size(); ++entry_) look(entries[entry_]);
    list_ = "";
  }

  const Breached breached_ = [this](const char* rule, std::string message, Violation::Place at) {
    breach(rule, std::move(message), std::move(at));
  };
  ScheduleHeader header_;
  Count step_ = 0;
  Verdict verdict_;
  const char* list_ = "";  // the entry that is looked at, of the step's list of that name
  std::size_t entry_ = 0;
};

}  // namespace faro::inline v1
