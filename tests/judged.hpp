// Counts what a loop judged and demands that many at its end: a loop in which nothing applied must
// not be green.
//
//   Judged judged(40);
//   for (...) { if (planner.refusal(request)) continue;  ++judged;  ... }
#pragma once

#include <gtest/gtest.h>

namespace faro::testing {

class Judged {
 public:
  explicit Judged(int at_least) : at_least_(at_least) {}
  Judged(const Judged&) = delete;
  Judged& operator=(const Judged&) = delete;
  ~Judged() { EXPECT_GE(count_, at_least_) << "so few cases were judged"; }

  void operator++() { ++count_; }

 private:
  int at_least_;
  int count_ = 0;
};

}  // namespace faro::testing
