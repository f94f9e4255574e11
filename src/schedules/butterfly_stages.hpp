// Which stages an element takes part in. A network combines each index bit once; a bitonic sort is
// p passes, pass k over the index bits k..0. Stage s is that of index bit p-1-s in both.
//
//   p 3, a sort:   bits 0 | 1 0 | 2 1 0
#pragma once

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

class ButterflyStages {
 public:
  ButterflyStages() = default;
  explicit ButterflyStages(const ButterflyGoal& goal)
      : sort_(goal.computation == ButterflyGoal::Computation::sort),
        msb_(goal.order == ButterflyGoal::Order::most_significant_first),
        bits_(goal.index_bits) {}

  int count() const { return sort_ ? bits_ * (bits_ + 1) / 2 : bits_; }
  // The index bit of the stage that follows `done`, below count().
  int index_bit(int done) const {
    if (!sort_) return msb_ ? bits_ - 1 - done : done;
    int pass = 0;
    for (; done > pass; ++pass) done -= pass + 1;
    return pass - done;
  }

 private:
  bool sort_ = false;
  bool msb_ = true;
  int bits_ = 0;
};

}  // namespace faro::inline v1
