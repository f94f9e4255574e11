// What every judge keeps and says: where it is in the schedule, and what it found wrong there.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "faro/machines/verifier.hpp"

namespace faro::inline v1 {

// Right until something is wrong.
class Judge : public Verifier {
 public:
  Verdict verdict() const override { return verdict_; }

  template <class... Args>
  void breach(const char* rule, Violation::Place at, fmt::format_string<Args...> message,
              Args&&... args) {
    if (*list_ != '\0') at.list = list_, at.entry = entry_;
    verdict_.add({step_, rule, fmt::format(message, std::forward<Args>(args)...), std::move(at)});
  }
  // The same, where the answer is whether something is as it has to be: false.
  template <class... Args>
  bool refuse(const char* rule, Violation::Place at, fmt::format_string<Args...> message,
              Args&&... args) {
    breach(rule, std::move(at), message, std::forward<Args>(args)...);
    return false;
  }

 protected:
  explicit Judge(const char* by) {
    verdict_.by = by;
    verdict_.answer = Verdict::Answer::yes;
  }
  bool clean() const { return verdict_.violation_count == 0; }
  // Nothing was wrong, and a claim will be made.
  bool tracking() const { return verdict_.answer == Verdict::Answer::yes; }
  // The end of every verdict: what the header claims against what was counted. Adds `cost-claim` if
  // the cost claimed is another, and `bound-claim` if nothing was wrong and yet a bound above the
  // cost is claimed, or one that its certificate does not prove; else says whether the bound is
  // checked.
  void judge_claims();
  // No claim is made, but for what was wrong before.
  template <class... Args>
  void give_up(fmt::format_string<Args...> why, Args&&... args) {
    if (!tracking()) return;
    verdict_.answer = Verdict::Answer::unprovable;
    verdict_.limit = fmt::format(why, std::forward<Args>(args)...);
  }
  // Each entry of a step's list, of which is told that something is wrong with it.
  template <class Entries, class Look>
  void each_of(const char* list, const Entries& entries, Look&& look) {
    list_ = list;
    for (entry_ = 0; entry_ < entries.size(); ++entry_) look(entries[entry_]);
    list_ = "";
  }

  ScheduleHeader header_;
  Count step_ = 0;
  Verdict verdict_;
  const char* list_ = "";  // the entry that is looked at, of the step's list of that name
  std::size_t entry_ = 0;
};

}  // namespace faro::inline v1
