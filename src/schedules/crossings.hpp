// Counts how many moves of a cube schedule cross each dimension, for the picture of a plan.
#pragma once

#include <vector>

#include "faro/schedules/schedule.hpp"

namespace faro::inline v1 {

class CrossingCounter : public ScheduleSink {
 public:
  // One count a dimension, both directions together; empty for other machines.
  const std::vector<Count>& crossings() const { return crossings_; }
  std::uint64_t slots() const { return slots_; }

  void begin(const ScheduleHeader& header) override;
  void step(const CubeStep& step) override;
  void step(const MeshInstruction&) override {}
  void step(const PopsSlot&) override {}
  void loop(const CubeLoop& loop) override;
  void loop(const PopsLoop&) override {}
  void finish() override;

 private:
  int dimensions_ = 0;
  std::uint64_t slots_ = 0;
  std::uint64_t times_ = 1;
  std::vector<Count> crossings_;
};

}  // namespace faro::inline v1
